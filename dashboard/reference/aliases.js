const alias = /^Alias of (\S+)$/;

/** Removes the aliases from an OpenAPI document, and adds each to the description of its operation. */
export function foldAliases(document) {
  const paths = structuredClone(document.paths);
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { summary }] of Object.entries(methods)) {
      const original = alias.exec(summary)?.[1];
      if (original === undefined) continue;
      paths[original][method].description += `\n\nAlias: \`${path}\`, with the same parameters and the same answer.`;
      delete paths[path][method];
      if (Object.keys(paths[path]).length === 0) delete paths[path];
    }
  }
  return { ...document, paths };
}
