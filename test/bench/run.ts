import { readdirSync } from "node:fs";
import { parseArgs } from "node:util";

/**
 * Runs every `*.bench.ts` beside this file, or those whose name contains an argument, and prints one figure per line:
 * `<bench>: <name> <value> <unit>`. `--against URL` lets those of servers measure other endpoints in the same run; npm
 * passes on what follows `--`.
 */
const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { against: { type: "string", multiple: true } },
});
const files = readdirSync(new URL(".", import.meta.url)).filter((name) => name.endsWith(".bench.ts"));

for (const file of files.sort()) {
  const bench = file.replace(/\.bench\.ts$/, "");
  if (wanted.length > 0 && !wanted.some((name) => bench.includes(name))) continue;
  const { run } = await import(`./${file}`);
  const print = (name: string, value: number, unit: string) =>
    console.log(`${bench}: ${name} ${format(value)} ${unit}`);
  await run(print, values);
}
process.exit(0);

function format(value: number): string {
  return value >= 100 ? Math.round(value).toString() : value.toPrecision(3);
}
