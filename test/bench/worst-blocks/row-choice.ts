import type { Cost, Machine } from "./machine.js";
import { GAS_LIMIT } from "./network.js";
import type { Row } from "./opcodes.js";
import { compile, type Program } from "./program.js";

/** The worst program of a row, and the cost of its trial. */
export interface Chosen {
  name: string;
  code: Uint8Array;
  cost: Cost;
}

/** Gas of a trial beyond that of the memory. */
const TRIAL_GAS = 500_000;
const INTRINSIC = 21_000;
/** Milliseconds of processor time after which a trial is ended: a block would take many times as long. */
const TRIAL_TIME = 1_000;

/** Tries the programs of a row, each `trials` times for the best result: a trial may be disturbed. */
export function choose({ name, programs }: Row, machine: Machine, trials = 1): Chosen {
  const [first, ...others] = programs.map((program) => tried(name, program, machine, trials));
  return others.reduce((a, b) => (b.blockTime > a.blockTime ? b : a), first!);
}

/** `blockTime`: estimated milliseconds of a block, which pays for the memory only once. */
function tried(
  name: string,
  program: Program | Uint8Array,
  machine: Machine,
  trials: number,
): Chosen & { blockTime: number } {
  const isCode = program instanceof Uint8Array;
  const code = isCode ? program : compile(program);
  const once = isCode ? 0 : INTRINSIC + memoryGas(program.memory ?? 0);
  const gas = isCode ? GAS_LIMIT : TRIAL_GAS + once;
  let cost = machine.run(code, { gas, timeLimit: TRIAL_TIME });
  for (let i = 1; i < trials && !cost.isInterrupted; i++) {
    const again = machine.run(code, { gas, timeLimit: TRIAL_TIME });
    if (again.milliseconds < cost.milliseconds) cost = again;
  }
  return { name, code, cost, blockTime: (cost.milliseconds * (GAS_LIMIT - once)) / (cost.gas - once) };
}

/** Gas of the memory, and of filling it. */
function memoryGas(size: number): number {
  const words = Math.ceil(size / 32);
  return 6 * words + Math.floor((words * words) / 512);
}
