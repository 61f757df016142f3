import { type Figure, reached } from "./figure.ts";

const shown = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)));

function target({ target }: Figure): string {
  if (!target) return "";
  return "atLeast" in target ? `≥ ${shown(target.atLeast)}` : `≤ ${shown(target.atMost)}`;
}

/** The figures with the target beside each, as a table of Markdown. */
export function table(figures: readonly Figure[]): string {
  const marks = { true: "reached", false: "MISSED", null: "" };
  const rows = figures.map((figure) => [
    figure.name,
    `${shown(figure.value)} ${figure.unit}`,
    target(figure),
    marks[`${reached(figure)}`],
    figure.note ?? "",
  ]);
  const cells = [["what", "measured", "target", "", "behind it"], ...rows];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(cells[0] ?? []), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...rows.map(line)].join(
    "\n",
  );
}
