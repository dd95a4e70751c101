import { setImmediate } from "node:timers/promises";
import { parseArgs } from "node:util";
import { fromHex, toHex } from "@cambium/primitives";
import { SEED } from "@cambium/test-utils/seed";
import { Machine, processorTime } from "../../bench/worst-blocks/machine.js";
import { surroundings } from "../../bench/worst-blocks/surroundings.js";
import { RandomSource } from "../random-source.js";
import { Search, type Worst } from "./search.js";

// npm run fuzz:worst -- [--seconds N] [--limit MILLISECONDS] [--replay CODE], with SEED in the environment. The seconds
// are processor time. An interrupted search prints its ranking too.

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    /** Processor time of a mainnet block above which a program is a finding. */
    limit: { type: "string", default: "1000" },
    replay: { type: "string" },
  },
});

const SHOWN = 40;
const LIMIT = Number(values.limit);

async function replay(code: string): Promise<void> {
  const machine = await Machine.open(surroundings());
  const { milliseconds, gas, isInterrupted } = machine.run(fromHex(code), { timeLimit: 300_000 });
  console.log(`${Math.round(milliseconds)} ms, ${gas} gas${isInterrupted ? ", interrupted" : ""}`);
}

function lineOf({ kind, milliseconds }: Worst): string {
  return `${String(Math.round(milliseconds)).padStart(7)} ms a block  ${kind}`;
}

async function search(): Promise<void> {
  const search = new Search(await Machine.open(surroundings()), new RandomSource(SEED));
  const started = processorTime();
  const seconds = () => (processorTime() - started) / 1_000;
  let isInterrupted = false;
  process.once("SIGINT", () => (isInterrupted = true));
  while (!isInterrupted && seconds() < Number(values.seconds)) {
    // Signals arrive between the turns of the event loop.
    await setImmediate();
    const found = search.step();
    if (found !== undefined && found.milliseconds > LIMIT) {
      console.log(`FINDING after ${Math.round(seconds())} s:${lineOf(found)}\n--replay ${toHex(found.code)}\n`);
    }
  }
  const ranking = search.ranking();
  console.log(`${search.count} executions, SEED=${SEED}\n${ranking.slice(0, SHOWN).map(lineOf).join("\n")}`);
  process.exitCode = ranking.some(({ milliseconds }) => milliseconds > LIMIT) ? 1 : 0;
}

if (values.replay !== undefined) await replay(values.replay);
else await search();
process.exit();
