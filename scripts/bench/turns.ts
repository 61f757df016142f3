import { Visit, WaitingLine } from "../../functions/public-api/waiting_line.ts";
import { alternate, type Figure, median, type Part } from "./figure.ts";
import { functionCommand, load, secretKey, startDeno, startThread } from "./http.ts";
import { newKeys } from "./neighbours.ts";
import { pgbench, requirePgbench } from "./pgbench.ts";

const rounds = 7;

/** Microseconds that a request takes to pass the function's line when nobody else is there. */
async function timeInLine(): Promise<number> {
  const line = new WaitingLine();
  const { signal } = new AbortController();
  const requests = 20_000;
  const begin = performance.now();
  for (let request = 0; request < requests; request += 1) {
    const visit = new Visit(signal);
    await line.inTurn("one key", visit, () => line.call(visit, async () => {}));
  }
  return ((performance.now() - begin) / requests) * 1000;
}

/** What a request pays for its turn: the function's line and the company's lock in the database. */
export const turns: Part = {
  name: "turns",
  title: "What the turn takes of a request for 20 members, 1 connection",
  async measure({ database, folder, progress }): Promise<Figure[]> {
    await requirePgbench();
    const { url, superuser } = await database();
    const page = "select public.list_members(bench.key_hash(3), 20);";
    const [company] = await superuser<{ id: string }[]>`select bench.id(3, 'company', 0) as id`;
    // Who is bound to the company already has its slot (app.authenticate).
    const hasSlot = `-c app.company_id=${company?.id}`;
    progress("locks");
    const [locking = [], bound = []] = await alternate(rounds, [
      () => pgbench(url, page, 1),
      () => pgbench(url, page, 1, hasSlot),
    ]);
    const locks = locking.map((perSecond, round) => 1e6 / perSecond - 1e6 / (bound[round] ?? Number.NaN));

    progress("line and whole requests");
    const [key = ""] = await newKeys(superuser, 3, 1);
    const dataApi = await startThread("data_api.ts", { databaseUrl: url, secretKey });
    const subject = await startDeno(functionCommand(dataApi), `${folder}/function.log`);
    try {
      const options = { url: `${subject.url}/public-api/members?limit=20`, headers: { "X-API-Key": key } };
      const request = async () => {
        const { requests, duration } = await load({ ...options, connections: 1, duration: 1 }, [200]);
        return (1e6 * duration) / requests.total;
      };
      const [lines = [], requests = []] = await alternate(rounds, [timeInLine, request]);
      const whole = median(requests);
      return [
        {
          name: "line and lock",
          rounds: locks.map((lock, round) => (lock + (lines[round] ?? Number.NaN)) / whole),
          unit: "of the request's time",
          target: { atMost: 0.02 },
          note: `line ${median(lines).toFixed(1)} µs, lock ${median(locks).toFixed(1)} µs, request ${whole.toFixed(0)} µs`,
        },
      ];
    } finally {
      await Promise.all([subject.stop(), dataApi.stop()]);
    }
  },
};
