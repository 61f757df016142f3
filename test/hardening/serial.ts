// Checks whether the result of several imports is that of some serial order, in which they run one after the other.

/** An acknowledged import: the fields that it sent for each external id. */
export interface Batch {
  id: number;
  rows: Map<string, Record<string, unknown>>;
}

/** A field of a stored row. */
export interface Cell {
  external_id: string;
  field: string;
  value: unknown;
}

/**
 * Throws unless some serial order of the batches has these cells as its result. The last batch that wrote a cell comes
 * after all others that wrote it. An order exists when these conditions form no cycle.
 */
export function explain(batches: Batch[], cells: Cell[]): void {
  const after = new Map<number, Set<number>>(batches.map(({ id }) => [id, new Set()]));
  for (const { external_id, field, value } of cells) {
    const writers = batches.filter(({ rows }) => rows.get(external_id)?.[field] !== undefined);
    const last = writers.filter(({ rows }) => rows.get(external_id)?.[field] === value);
    if (last.length !== 1)
      throw new Error(`${external_id}.${field} is ${String(value)}, which ${last.length} batches wrote`);
    for (const { id } of writers) if (id !== last[0]?.id) after.get(last[0]?.id ?? -1)?.add(id);
  }
  // Removes each batch that has to come after no remaining one, until none is left.
  while (after.size > 0) {
    const free = [...after].filter(([, before]) => [...before].every((id) => !after.has(id))).map(([id]) => id);
    if (free.length === 0) throw new Error(`no serial order explains the batches ${[...after.keys()].join(", ")}`);
    for (const id of free) after.delete(id);
  }
}
