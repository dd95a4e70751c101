import {
  type Deadline,
  type HeavyExecutor,
  type HeavyTaskName,
  type HeavyTasks,
  JsonText,
  type SimulationRequest,
} from "@cambium/api";
import { resultText, runNow, type TaskParts } from "@cambium/api/tasks";
import type { ChainReader } from "@cambium/chain";
import { ExecutionInterrupted } from "@cambium/evm";
import { gauge, LruCache, toHex } from "@cambium/primitives";
import type { RpcConfig } from "../config.js";
import { NATIVE_GAS } from "./heavy-thread-pool.js";

const WAITING_CALLS = gauge(
  "cambium_rpc_calls_waiting",
  "Calls that wait for the next turn of the event loop of the thread that received them",
);

/** Tasks of one execution, which is mostly faster than passing it to another thread. */
const SHORT: ReadonlySet<HeavyTaskName> = new Set<HeavyTaskName>(["accessList", "call", "estimateGas"]);

/** Time limits of calls in the calling thread, for which other requests wait. */
export interface CallLimits {
  /** Milliseconds of one call. */
  call: number;
  /** Milliseconds of all calls in one turn of the event loop. */
  turn: number;
  /**
   * Whether calls on the pending block are also executed in the calling thread: its changes are many, and threads keep
   * them for the next call.
   */
  onPending: boolean;
}

/** Limits for a local chain: calls are short, and the user waits for each. */
export const LOCAL_CALLS: CallLimits = { call: 20, turn: Number.POSITIVE_INFINITY, onPending: true };
/** Limits for a node with many clients. */
export const SHARED_CALLS: CallLimits = { call: 1, turn: 4, onPending: false };

/**
 * How long similar calls are offloaded immediately after one overran, in milliseconds; doubles with each consecutive
 * overrun.
 */
const PAUSE = { first: 100, longest: 60_000 };
/** Maximum number of calls that wait for a later turn; further ones are offloaded. */
const MAX_WAITING = 64;
/** Maximum number of kinds of calls whose pauses are known. */
const KNOWN_PAUSES = 4_096;
const SELECTOR_BYTES = 4;

interface Pause {
  /** Length of the pause in milliseconds. */
  length: number;
  /** End of the pause, in milliseconds of `performance.now()`. */
  until: number;
}

/** Whether an execution must end before native code is called for this amount of gas. */
export type Interruption = (gas: number) => boolean;

/**
 * Executes calls in the calling thread. Longer calls and all other tasks go to another executor: passing a call to
 * another thread takes longer than most calls.
 */
export class CallingThreadFirst implements HeavyExecutor {
  private readonly parts: TaskParts;
  private readonly pauses = new LruCache<string, Pause>(KNOWN_PAUSES);
  /** Calls that wait for a later turn. */
  private readonly waiting: (() => void)[] = [];
  private spent = 0;
  private isTurnOpen = false;
  private end = 0;

  /** `openChain` opens a chain whose executions end when the function returns true. */
  constructor(
    private readonly others: HeavyExecutor,
    config: RpcConfig,
    private readonly limits: CallLimits,
    openChain: (isInterrupted: Interruption) => ChainReader,
  ) {
    const chain = openChain((gas) => performance.now() > this.end || gas > limits.call * NATIVE_GAS);
    this.parts = { chain, config };
  }

  async run<Name extends HeavyTaskName>(name: Name, request: HeavyTasks[Name], deadline: Deadline): Promise<unknown> {
    const isShort = SHORT.has(name) && this.mayTry(request as SimulationRequest) && (await this.hasTurn());
    deadline.check();
    return (isShort ? this.attempt(name, request, deadline) : undefined) ?? this.others.run(name, request, deadline);
  }

  close(): Promise<void> {
    return this.others.close();
  }

  private mayTry(request: SimulationRequest): boolean {
    if (request.pending !== undefined && !this.limits.onPending) return false;
    const pause = this.pauses.get(keyOf(request));
    return pause === undefined || performance.now() >= pause.until;
  }

  /** Whether there is time for a call, in this turn of the event loop or a later one. */
  private async hasTurn(): Promise<boolean> {
    while (this.spent + this.limits.call > this.limits.turn) {
      if (this.waiting.length >= MAX_WAITING) return false;
      WAITING_CALLS.add(1);
      await new Promise<void>((resolve) => this.waiting.push(resolve));
      WAITING_CALLS.add(-1);
    }
    return true;
  }

  /** Returns the result of a call that ends in time. */
  private attempt<Name extends HeavyTaskName>(
    name: Name,
    request: HeavyTasks[Name],
    deadline: Deadline,
  ): JsonText | undefined {
    const key = keyOf(request as SimulationRequest);
    const pause = this.pauses.get(key);
    const start = performance.now();
    this.openTurn();
    this.end = start + this.limits.call;
    try {
      const result = runNow(name, this.parts, request, deadline);
      if (pause !== undefined) this.pauses.delete(key);
      return new JsonText(resultText(result, this.parts.config));
    } catch (error) {
      if (!(error instanceof ExecutionInterrupted)) throw error;
      const length = pause === undefined ? PAUSE.first : Math.min(2 * pause.length, PAUSE.longest);
      this.pauses.set(key, { length, until: start + length });
      return undefined;
    } finally {
      this.spent += performance.now() - start;
    }
  }

  private openTurn(): void {
    if (this.isTurnOpen) return;
    this.isTurnOpen = true;
    setImmediate(() => {
      this.isTurnOpen = false;
      this.spent = 0;
      for (const resume of this.waiting.splice(0)) resume();
    });
  }
}

/** Returns the key of similar calls: those of one method of one contract have similar durations. */
function keyOf({ call: { to, data } }: Pick<SimulationRequest, "call">): string {
  return toHex(to) + toHex(data.subarray(0, SELECTOR_BYTES));
}
