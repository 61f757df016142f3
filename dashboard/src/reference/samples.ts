// Sample code for one request, in four languages. As in the guides, it reads the key from the environment.

type Request = { method: string; url: string; body: unknown };

/** What a request is first shown with: few rows, and an import that writes nothing. */
export function firstValues(parameters: readonly { name: string }[]): Record<string, string> {
  const has = (parameter: string) => parameters.some(({ name }) => name === parameter);
  return { ...(has("limit") && { limit: "5" }), ...(has("dry_run") && { dry_run: "true" }) };
}

/** The address of a request with these parameters. @param base the API's base address */
export function addressOf(base: string, path: string, values: Record<string, string>): string {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== "")).toString();
  return `${base}${path === "/" ? "" : path}${query === "" ? "" : `?${query}`}`;
}

const isCsv = (url: string): boolean => url.includes("format=csv");
const quoted = (text: string): string => JSON.stringify(text);

function curl({ url, body }: Request): string {
  const lines = [`curl ${quoted(url)}`, '-H "X-API-Key: $PUBLIC_API_KEY"'];
  if (body !== null)
    lines.push('-H "Content-Type: application/json"', `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`);
  return lines.join(" \\\n  ");
}

function python({ method, url, body }: Request): string {
  const data = body === null ? "" : `    data=json.dumps(${JSON.stringify(body)}).encode(),\n`;
  const type = body === null ? "" : ', "Content-Type": "application/json"';
  return `import json
import os
from urllib.request import Request, urlopen

request = Request(
    ${quoted(url)},
${data}    headers={"X-API-Key": os.environ["PUBLIC_API_KEY"]${type}},
${method === "GET" ? "" : `    method=${quoted(method)},\n`})
with urlopen(request, timeout=60) as response:
    print(${isCsv(url) ? "response.read().decode()" : "json.load(response)"})`;
}

function javascript({ method, url, body }: Request): string {
  const options = [
    ...(method === "GET" ? [] : [`  method: ${quoted(method)},`]),
    '  headers: { "X-API-Key": process.env.PUBLIC_API_KEY },',
    ...(body === null ? [] : [`  body: JSON.stringify(${JSON.stringify(body)}),`]),
  ];
  return `const response = await fetch(${quoted(url)}, {
${options.join("\n")}
});
if (!response.ok) throw new Error(await response.text());
console.log(await response.${isCsv(url) ? "text" : "json"}());`;
}

function powershell({ method, url, body }: Request): string {
  const json =
    body === null ? "" : ` \`\n  -ContentType "application/json" -Body '${JSON.stringify(body).replaceAll("'", "''")}'`;
  return `$answer = Invoke-RestMethod ${quoted(url)} -Method ${method} \`
  -Headers @{ "X-API-Key" = $env:PUBLIC_API_KEY }${json}
$answer`;
}

export const languages = { curl, Python: python, JavaScript: javascript, PowerShell: powershell };
