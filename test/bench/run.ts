import { readdirSync } from "node:fs";

/**
 * Runs every `*.bench.ts` beside this file, or those whose name contains an argument, and prints one figure per line:
 * `<bench>: <name> <value> <unit>`.
 */
const wanted = process.argv.slice(2);
const files = readdirSync(new URL(".", import.meta.url)).filter((name) => name.endsWith(".bench.ts"));

for (const file of files.sort()) {
  const bench = file.replace(/\.bench\.ts$/, "");
  if (wanted.length > 0 && !wanted.some((name) => bench.includes(name))) continue;
  const { run } = await import(`./${file}`);
  await run((name: string, value: number, unit: string) => console.log(`${bench}: ${name} ${format(value)} ${unit}`));
}
process.exit(0);

function format(value: number): string {
  return value >= 100 ? Math.round(value).toString() : value.toPrecision(3);
}
