import { readdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Figures, readPrinted } from "./figures.js";
import {
  BENCHES_OF_PAGE,
  figureText,
  type MeasuredFigure,
  performancePage,
  surroundingsText,
} from "./performance-page.js";

/**
 * Runs every `*.bench.ts` next to this file, or those whose name contains an argument. Prints one figure per line:
 * `<bench>: <name> <value> <unit>`. With `--against URL` or `--against NAME=URL`, the benchmarks of servers measure
 * other endpoints in the same run. `--peer NAME=FILE` adds figures that another program has printed to a file in the
 * same form. `--save FILE` writes the figures, `--compare FILE` prints their ratio to those of such a file, and
 * `--write` runs the benchmarks of `docs/performance.md` and writes it. `--blocks` and `--folder` are settings of the
 * rehearsal, `--entries` of the rehearsal and of the installation of published state. The fourth argument of `print`
 * names a peer, whose figure is shown next to that of this node with the same name. A benchmark that fails does not
 * keep the others from running. npm passes on the parameters after `--`.
 */
const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    against: { type: "string", multiple: true },
    blocks: { type: "string" },
    compare: { type: "string" },
    entries: { type: "string" },
    folder: { type: "string" },
    peer: { type: "string", multiple: true },
    save: { type: "string" },
    write: { type: "boolean" },
  },
});
if (values.write && wanted.length > 0) throw new Error("--write runs the benchmarks of the page, without names");
const isWanted = (bench: string) => {
  if (values.write) return BENCHES_OF_PAGE.includes(bench);
  return wanted.length === 0 || wanted.some((name) => bench.includes(name));
};
const files = readdirSync(new URL(".", import.meta.url)).filter((name) => name.endsWith(".bench.ts"));
const before = values.compare === undefined ? new Figures() : Figures.read(values.compare);
const figures = new Figures();
const measured: MeasuredFigure[] = [];
/** Peers by URL. */
const peers = new Map(
  values.against?.map((text) => [text.replace(/^[\w.-]+=/, ""), /^([\w.-]+)=/.exec(text)?.[1] ?? text]),
);
/** Figures of programs outside of this repository. */
const printed = (values.peer ?? []).flatMap((text) => {
  const [peer, path] = text.split("=", 2);
  return readPrinted(path!).map((figure) => ({ ...figure, peer: peer! }));
});
const surroundings = surroundingsText();

for (const file of files.sort()) {
  const bench = file.replace(/\.bench\.ts$/, "");
  if (!isWanted(bench)) continue;
  const { run } = await import(`./${file}`);
  const print = (name: string, value: number, unit: string, other?: string) => {
    const peer = other && (peers.get(other) ?? other);
    const key = peer === undefined ? `${bench}: ${name}` : `${bench}: ${peer}: ${name}`;
    measured.push({ bench, name, value, unit, peer });
    figures.add(key, value, unit);
    const ratio = before.ratio(key, value, unit);
    const comparison = ratio === undefined ? "" : `, ${ratio.toFixed(2)} of the earlier figure`;
    console.log(`${key} ${figureText(value)} ${unit}${comparison}`);
  };
  try {
    await run(print, { ...values, against: [...peers.keys()] });
  } catch (error) {
    console.error(`${bench}: failed:`, error);
    process.exitCode = 1;
  }
  for (const { name, value, unit, peer } of printed.filter((figure) => figure.bench === bench)) {
    print(name, value, unit, peer);
  }
}
if (values.save !== undefined) figures.save(values.save);
if (values.write) {
  writeFileSync(new URL("../../docs/performance.md", import.meta.url), performancePage(measured, surroundings));
}
process.exit();
