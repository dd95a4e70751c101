import { readFileSync, writeFileSync } from "node:fs";
import { fixedLoop } from "./fixed-loop.js";
import { foundRows } from "./found.js";
import { Machine, perMegagas } from "./machine.js";
import { nativeRows } from "./natives.js";
import { opcodeRows, type Row } from "./opcodes.js";
import { precompileRows } from "./precompiles.js";
import { choose } from "./row-choice.js";
import { surroundings } from "./surroundings.js";

// check.ts [--record]: compares the worst programs with the best record of each, in gas for the processor time of a
// fixed loop. Fails below 0.6 of it. A part of the programs of each row, in memory, takes less than a
// minute. `--record` stores better results.

const RECORD = new URL("recorded.json", import.meta.url);
const LEAST_SHARE = 0.6;
const MAX_PROGRAMS = 8;
const [TRIALS, MORE_TRIALS] = [2, 5];
/** Number of attempts: a row that fails is measured again, because other programs may have disturbed it. */
const ATTEMPTS = 10;

const recorded = JSON.parse(readFileSync(RECORD, "utf8")) as Record<string, number>;
const machine = await Machine.open(surroundings());
const rows = [...opcodeRows(), ...precompileRows(), ...nativeRows(), ...foundRows()].map(withSomePrograms);
/** Gas for which the worst program of a row takes as long as the fixed loop, by row. */
const gas = new Map<string, number>();

// The engine's optimisations for one opcode may not fit the next: it compiles for all of them before the measurement.
for (const row of rows) choose(row, machine);
for (const row of rows) measure(row, TRIALS);
for (let attempt = 1; attempt < ATTEMPTS; attempt++) for (const row of rows.filter(isWorse)) measure(row, MORE_TRIALS);
const failing = rows.filter(isWorse);
for (const { name } of failing) console.error(`${name}: ${gasOf(name)}, recorded ${recorded[name]}`);
const least = Math.min(...rows.map(({ name }) => gasOf(name) / (recorded[name] ?? 1)));
console.log(
  `${rows.length} rows, in gas for the time of the fixed loop: ${failing.length} below ${LEAST_SHARE} of their record, the lowest at ${least.toFixed(2)} of it`,
);
if (process.argv.includes("--record")) {
  const results = rows.map(({ name }) => [name, Math.max(gasOf(name), recorded[name] ?? 0)]);
  writeFileSync(RECORD, `${JSON.stringify(Object.fromEntries(results), null, 2)}\n`);
}
process.exit(failing.length > 0 ? 1 : 0);

function withSomePrograms({ name, programs }: Row): Row {
  const count = Math.min(programs.length, MAX_PROGRAMS);
  return { name, programs: Array.from({ length: count }, (_, i) => programs[placeOf(i, count, programs.length)]!) };
}

/** Returns the middle of each of this number of equal parts. */
function placeOf(part: number, parts: number, length: number): number {
  return Math.floor(((part + 0.5) * length) / parts);
}

/** Measures a row next to the fixed loop, so that other programs disturb both alike. The best measurement counts. */
function measure(row: Row, trials: number): void {
  const before = fixedLoop();
  const { cost } = choose(row, machine, trials);
  const unit = Math.min(before, fixedLoop());
  gas.set(row.name, Math.max(gasOf(row.name), Math.round((unit * 1_000_000) / perMegagas(cost))));
}

function gasOf(name: string): number {
  return gas.get(name) ?? 0;
}

function isWorse({ name }: Row): boolean {
  return gasOf(name) < (recorded[name] ?? 0) * LEAST_SHARE;
}
