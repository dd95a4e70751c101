import type { FailedStep, TracedResult, Tracer } from "@cambium/evm";
import { serverError } from "../../errors.js";
import { failureText } from "./go-ethereum-texts.js";

/** Maximum number of steps that the tracers of one response see. */
const MAX_STEPS = 2_000_000;

/** Counts the steps of all transactions of a response. */
export class StepCounter {
  private count = 0;

  /** Throws {@link RpcError} `SERVER_ERROR` at the limit. */
  add(): void {
    if (this.count === MAX_STEPS) throw serverError(`tracers in JavaScript see at most ${MAX_STEPS} steps`);
    this.count++;
  }
}

/** Why a step failed, and whether it failed before it began to run, for lack of gas or of items on the stack. */
export interface StepFailure {
  text: string;
  isEarly: boolean;
}

const EARLY: ReadonlySet<string> = new Set(["out-of-gas", "invalid-gas", "stack-underflow", "stack-overflow"]);

/**
 * Records the cost of each step of a message and why it fails. This first execution serves tracers that see both before
 * the step runs.
 */
export class StepCosts implements Tracer {
  /** Gas cost of each step, by its number. */
  readonly costs: number[] = [];
  readonly failures = new Map<number, StepFailure>();
  /** Number of the last step of each open frame. */
  private readonly last: number[] = [];
  private failedStep: FailedStep | undefined;

  constructor(private readonly counter: StepCounter) {}

  enter(): void {
    this.last.push(-1);
  }

  step(): void {
    this.counter.add();
    this.last[this.last.length - 1] = this.costs.length;
    this.costs.push(0);
  }

  stepDone(gasCost: number): void {
    const step = this.last.at(-1)!;
    if (step >= 0) this.costs[step] = gasCost;
  }

  stepFailed(step: FailedStep): void {
    this.failedStep = step;
    this.costs[this.last.at(-1)!] = step.gasCost;
  }

  exit({ failure }: TracedResult): void {
    const step = this.last.pop()!;
    if (failure !== undefined && this.failedStep !== undefined) {
      this.failures.set(step, { text: failureText(failure, this.failedStep), isEarly: EARLY.has(failure.kind) });
    }
    this.failedStep = undefined;
  }
}
