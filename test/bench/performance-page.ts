import { availableParallelism, cpus, loadavg, totalmem } from "node:os";

/** A figure of a benchmark; `peer` is the other program that it is of. */
export interface MeasuredFigure {
  bench: string;
  name: string;
  value: number;
  unit: string;
  peer?: string | undefined;
}

/** The date and the machine of a run, as two lines of the page. */
export function surroundingsText(): string {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB of memory`;
  const machine = `${cpus()[0]?.model.trim() || "unknown processor"}, ${availableParallelism()} cores, ${memory}`;
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, load average ${loadavg()[0]!.toFixed(1)} at the beginning, Node.js ${process.version},\n${machine}`;
}

/** The benchmarks of the page in its order, with what their readers must know. */
const CHAPTERS: Readonly<Record<string, string>> = {
  rpc: `JSON-RPC over HTTP from a recorded chain. The client shares the cores with the server. The peers are development
chains with as many transactions in a block and, where a row has its peer, as many logs.`,
  local: "A development chain: as a separate process, and inside another program.",
  interpreter:
    "Loops, and calls of contracts as they are common on `main`, without the validation and storage of a block.",
  precompiles: "Native contracts of Ethereum.",
  recovery: "Signers of transactions.",
  import: "A recorded chain with full blocks, from its files to the disk, with every check.",
  "small-block": "Blocks with three transactions, as on `main`.",
  bootstrap: "Published state of a million accounts and cells.",
};

/** Names of the benchmarks of the page: the figures of others are in the documents on their subjects. */
export const BENCHES_OF_PAGE = Object.keys(CHAPTERS);

/** `docs/performance.md`: all figures of one run, each with those of its peers. */
export function performancePage(figures: readonly MeasuredFigure[], surroundings: string): string {
  const benches = BENCHES_OF_PAGE.filter((name) => figures.some(({ bench }) => bench === name));
  return `${INTRODUCTION}\nMeasured on: ${surroundings}.\n${benches.map((bench) => chapter(bench, figures)).join("")}`;
}

const INTRODUCTION = `# Performance

<!-- Written by \`npm run bench -- --write\`. -->

Figures of one run on one machine, with those of peers on the same machine. A ratio is this node's figure by that of the
peer. Each release has its own version of this page: its history shows what became slower.
`;

function chapter(bench: string, figures: readonly MeasuredFigure[]): string {
  const rows = figures.filter((figure) => figure.bench === bench && figure.peer === undefined);
  const lines = rows.map((row) => {
    const peers = figures.filter(
      ({ bench, name, unit, peer }) =>
        peer !== undefined && bench === row.bench && name === row.name && unit === row.unit,
    );
    const compared = peers.map(({ peer, value }) => `${peer} ${figureText(value)} (${figureText(row.value / value)})`);
    return `| ${row.name.replaceAll("|", "\\|")} | ${figureText(row.value)} ${row.unit} | ${compared.join(", ")} |`;
  });
  return `\n## ${bench}\n\n${CHAPTERS[bench]}\n\n| figure | value | peers (ratio) |\n|---|---|---|\n${lines.join("\n")}\n`;
}

/** A number with three significant digits. */
export function figureText(value: number): string {
  return value >= 100 ? Math.round(value).toString() : value.toPrecision(3);
}
