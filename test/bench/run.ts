import { readdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { Figures } from "./figures.js";

/**
 * Runs every `*.bench.ts` next to this file, or those whose name contains an argument. Prints one figure per line:
 * `<bench>: <name> <value> <unit>`. With `--against URL`, the benchmarks of servers measure other endpoints in the same
 * run. `--save FILE` writes the figures, `--compare FILE` prints their ratio to those of such a file. npm passes on the
 * parameters after `--`.
 */
const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    against: { type: "string", multiple: true },
    compare: { type: "string" },
    save: { type: "string" },
  },
});
const files = readdirSync(new URL(".", import.meta.url)).filter((name) => name.endsWith(".bench.ts"));
const before = values.compare === undefined ? new Figures() : Figures.read(values.compare);
const figures = new Figures();

for (const file of files.sort()) {
  const bench = file.replace(/\.bench\.ts$/, "");
  if (wanted.length > 0 && !wanted.some((name) => bench.includes(name))) continue;
  const { run } = await import(`./${file}`);
  const print = (name: string, value: number, unit: string) => {
    figures.add(`${bench}: ${name}`, value, unit);
    const ratio = before.ratio(`${bench}: ${name}`, value, unit);
    const comparison = ratio === undefined ? "" : `, ${ratio.toFixed(2)} of the earlier figure`;
    console.log(`${bench}: ${name} ${format(value)} ${unit}${comparison}`);
  };
  await run(print, values);
}
if (values.save !== undefined) figures.save(values.save);
process.exit(0);

function format(value: number): string {
  return value >= 100 ? Math.round(value).toString() : value.toPrecision(3);
}
