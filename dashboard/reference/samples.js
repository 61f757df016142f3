// Sample code for one operation, in four languages. As in the guides, it reads the key from the environment.

const quoted = (text) => JSON.stringify(text);

function curl({ method, url, body }) {
  const lines = [`curl ${quoted(url)}`, '-H "X-API-Key: $PUBLIC_API_KEY"'];
  if (body !== null)
    lines.push('-H "Content-Type: application/json"', `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`);
  else if (method !== "GET") lines.push(`-X ${method}`);
  return lines.join(" \\\n  ");
}

function python({ method, url, body }) {
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
    print(json.load(response))`;
}

function javascript({ method, url, body }) {
  const options = [
    ...(method === "GET" ? [] : [`  method: ${quoted(method)},`]),
    '  headers: { "X-API-Key": process.env.PUBLIC_API_KEY },',
    ...(body === null ? [] : [`  body: JSON.stringify(${JSON.stringify(body)}),`]),
  ];
  return `const response = await fetch(${quoted(url)}, {
${options.join("\n")}
});
if (!response.ok) throw new Error(await response.text());
console.log(await response.json());`;
}

function powershell({ method, url, body }) {
  const json =
    body === null ? "" : ` \`\n  -ContentType "application/json" -Body '${JSON.stringify(body).replaceAll("'", "''")}'`;
  return `$answer = Invoke-RestMethod ${quoted(url)} -Method ${method} \`
  -Headers @{ "X-API-Key" = $env:PUBLIC_API_KEY }${json}
$answer`;
}

export const languages = { curl, Python: python, JavaScript: javascript, PowerShell: powershell };

/** The request of a sample: five rows of a list; for an import, the body's example. */
export function requestOf(baseAddress, path, method, operation) {
  const isList = (operation.parameters ?? []).some(({ name }) => name === "limit");
  const url = `${baseAddress}${path === "/" ? "" : path}${isList ? "?limit=5" : ""}`;
  const body = operation.requestBody?.content["application/json"].example ?? null;
  return { method: method.toUpperCase(), url, body };
}
