// The way to the API: through the proxy of the environment, unless NO_PROXY has the API's host.
import { BlockList, isIP, isIPv6 } from "node:net";
import { type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
import { CliError, exitCodes, printable } from "./errors.ts";

/** The proxy opened no tunnel to the API, so no request has arrived. Without a status, `cause` says what broke. */
export class NoTunnel extends Error {
  readonly status: number | null;

  constructor(status: number | null, cause?: unknown) {
    super("no tunnel through the proxy", { cause });
    this.status = status;
  }
}

/** Connections to a proxy. If the proxy hangs up, undici dials again at once, and forever, because of the error's code. */
class ProxyPool extends Pool {
  override async connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
    const answer = await super.connect(options).catch((error) => {
      throw new NoTunnel(null, error);
    });
    const { statusCode, socket } = answer;
    // A tunnel is silent before the request. What sends a page is a web server, where undici dials again, too.
    if (statusCode === 200 && socket.readableLength === 0) return answer;
    socket.on("error", () => {}).destroy();
    throw statusCode === 200 ? new NoTunnel(null, { code: "EPROTO" }) : new NoTunnel(statusCode);
  }
}

const wrong = (problem: string) => new CliError(problem, exitCodes.usage);

/**
 * Sends requests to a host, and names the setting of the proxy that they go through; null if there is none.
 * @throws CliError that names a wrong setting, never its value
 */
export function wayTo(url: URL, env: NodeJS.ProcessEnv): { dispatcher: Dispatcher; proxySetting: string | null } {
  const settings = url.protocol === "http:" ? ["http_proxy"] : ["https_proxy", "http_proxy"];
  const proxySetting = settings.flatMap((name) => [name, name.toUpperCase()]).find((name) => env[name]) ?? null;
  const address = env[proxySetting ?? ""] ?? "";
  const hosts = env.no_proxy ?? env.NO_PROXY ?? "";
  const isDirect = proxySetting === null || isInRange(url.hostname, hosts);
  // A proxy has 30 seconds to open a tunnel.
  const clientFactory = (proxy: URL, options: object) => new ProxyPool(proxy, { ...options, headersTimeout: 30_000 });
  const options = { httpProxy: address, httpsProxy: address, noProxy: isDirect ? "*" : hosts, clientFactory };
  try {
    return { dispatcher: new EnvHttpProxyAgent(options), proxySetting: isDirect ? null : proxySetting };
  } catch {
    throw wrong(`${proxySetting} must be the address of a proxy, as in http://proxy.example:3128`);
  }
}

/** Whether NO_PROXY has this address, or a range with it (10.0.0.0/8, fd00::/8). Names are left to undici. */
function isInRange(hostname: string, noProxy: string): boolean {
  const ranges = new BlockList();
  const family = (address: string) => (isIPv6(address) ? "ipv6" : "ipv4");
  for (const entry of noProxy.split(/[\s,]+/)) {
    const [address = "", bits = isIPv6(address) ? "128" : "32"] = entry.split("/");
    if (isIP(address) === 0 && !/^[\d.]+\//.test(entry)) continue;
    try {
      ranges.addSubnet(address, bits === "" ? Number.NaN : Number(bits), family(address));
    } catch {
      throw wrong(`NO_PROXY must have ranges such as 10.0.0.0/8, not ${printable(entry)}`);
    }
  }
  const host = hostname.replace(/[[\]]/g, "");
  return isIP(host) !== 0 && ranges.check(host, family(host));
}
