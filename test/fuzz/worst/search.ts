import type { Cost, Machine } from "../../bench/worst-blocks/machine.js";
import { GAS_LIMIT } from "../../bench/worst-blocks/network.js";
import type { RandomSource } from "../random-source.js";
import { express, type Genome, kindOf, mutated, randomGenome } from "./genome.js";

/** The worst program of a kind. */
export interface Worst {
  kind: string;
  genome: Genome;
  code: Uint8Array;
  /** Milliseconds of processor time of a block full of the program. */
  milliseconds: number;
}

/**
 * Gas for the loop of a program in a trial: a part of a block's gas, and little of it for programs that take too long.
 */
const TRIAL_GAS = 1_000_000;
const [LITTLE_GAS, MORE_GAS] = [15_000, 150_000];
const TRIALS = 3;
/** Milliseconds of processor time after which a trial is ended, and after which a block is. */
const TRIAL_TIME = 500;
const BLOCK_TIME = 2_000;
const INTRINSIC = 21_000;
/** Number of kinds that are found at random before programs are changed. */
const MIN_KINDS = 20;

/**
 * Searches for programs with a long processor time for their gas, by random changes to the worst so far of each kind.
 */
export class Search {
  private readonly worst = new Map<string, Worst>();
  /** Number of executed programs. */
  count = 0;

  constructor(
    private readonly machine: Machine,
    private readonly random: RandomSource,
  ) {}

  /** Returns the kinds, the worst first. */
  ranking(): Worst[] {
    return [...this.worst.values()].sort((a, b) => b.milliseconds - a.milliseconds);
  }

  /** Tries one program; returns it if it is the worst of its kind so far. */
  step(): Worst | undefined {
    const genome = this.next();
    const code = express(genome);
    const kind = kindOf(genome);
    const record = this.worst.get(kind)?.milliseconds ?? 0;
    // The first execution may have been compiled, or may have collected garbage of others.
    let milliseconds = Number.POSITIVE_INFINITY;
    for (let trials = 0; trials < TRIALS && milliseconds > record; trials++) {
      milliseconds = Math.min(milliseconds, this.measure(code, setUpGas(genome)));
    }
    if (milliseconds <= record) return undefined;
    const found = { kind, genome, code, milliseconds };
    this.worst.set(kind, found);
    return found;
  }

  private next(): Genome {
    const { random } = this;
    if (this.worst.size < MIN_KINDS || random.chance(0.2)) return randomGenome(random);
    let genome = this.chosen()?.genome ?? randomGenome(random);
    for (let changes = 1 + random.below(3); changes > 0; changes--) genome = mutated(genome, random);
    return genome;
  }

  /**
   * Returns one of the worst of all kinds, those with high cost more often, but none that is already a clear finding.
   */
  private chosen(): Worst | undefined {
    const all = [...this.worst.values()].filter(({ milliseconds }) => milliseconds < BLOCK_TIME);
    const some = Array.from({ length: Math.min(3, all.length) }, () => this.random.pick(all));
    return some.sort((a, b) => b.milliseconds - a.milliseconds)[0];
  }

  /** Returns the milliseconds of a whole block, from an execution with less gas if possible. */
  private measure(code: Uint8Array, setUp: number): number {
    const trial = this.run(code, setUp + TRIAL_GAS, TRIAL_TIME);
    if (!trial.isInterrupted) return (trial.milliseconds * (GAS_LIMIT - setUp)) / TRIAL_GAS;
    const block = this.run(code, GAS_LIMIT, BLOCK_TIME);
    if (!block.isInterrupted) return block.milliseconds;
    const little = this.run(code, setUp + LITTLE_GAS, BLOCK_TIME);
    const more = this.run(code, setUp + MORE_GAS, BLOCK_TIME);
    const rate = (more.milliseconds - little.milliseconds) / (MORE_GAS - LITTLE_GAS);
    return Math.max(BLOCK_TIME, rate * (GAS_LIMIT - setUp));
  }

  private run(code: Uint8Array, gas: number, timeLimit: number): Cost {
    this.count++;
    return this.machine.run(code, { gas: Math.min(gas, GAS_LIMIT), timeLimit });
  }
}

/** Returns the gas of a program's code before its loop. */
function setUpGas({ memory }: Genome): number {
  const words = Math.ceil(memory / 32);
  return INTRINSIC + 6 * words + Math.floor((words * words) / 512);
}
