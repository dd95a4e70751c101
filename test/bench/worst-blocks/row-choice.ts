import { type Cost, type Machine, perMegagas } from "./machine.js";
import type { Row } from "./opcodes.js";
import { compile, type Program } from "./program.js";

/** The worst program of a row. */
export interface Chosen {
  name: string;
  code: Uint8Array;
  cost: Cost;
}

/** Gas of a trial beyond that of the memory. */
const TRIAL_GAS = 500_000;
const INTRINSIC = 21_000;
/** Processor time after which a trial is ended, in milliseconds: a block would take many times as much. */
const TRIAL_TIME = 1_000;

/** Tries the programs of a row. */
export function choose({ name, programs }: Row, machine: Machine): Chosen {
  const [first, ...others] = programs.map((program) => tried(name, program, machine));
  return others.reduce((a, b) => (perMegagas(b.cost) > perMegagas(a.cost) ? b : a), first!);
}

function tried(name: string, program: Program, machine: Machine): Chosen {
  const code = compile(program);
  const cost = machine.run(code, {
    gas: TRIAL_GAS + INTRINSIC + memoryGas(program.memory ?? 0),
    timeLimit: TRIAL_TIME,
  });
  return { name, code, cost };
}

/** Gas of the memory, and of filling it. */
function memoryGas(size: number): number {
  const words = Math.ceil(size / 32);
  return 6 * words + Math.floor((words * words) / 512);
}
