const ABANDONED = 0;
const TRANSACTION = 1;
const STEP = 2;
const LENGTH = 3;

/** The transaction that a building thread executes. */
export interface ExecutionStep {
  /** Number of the pool's transaction (`PoolMirror`); 0 if none is executed. */
  transaction: number;
  /** Counter that changes with each execution. */
  step: number;
}

/** Memory that a building thread shares with its client. Both can read it at any time, also during an execution. */
export class BuildingSignals {
  constructor(readonly memory = new Int32Array(new SharedArrayBuffer(LENGTH * Int32Array.BYTES_PER_ELEMENT))) {}

  /** Abandons the build with this number, and earlier ones. */
  abandon(build: number): void {
    Atomics.store(this.memory, ABANDONED, build);
  }

  isAbandoned(build: number): boolean {
    return build <= Atomics.load(this.memory, ABANDONED);
  }

  /** Records which transaction is executed from now on; 0: none. */
  execute(transaction: number): void {
    Atomics.add(this.memory, STEP, 1);
    Atomics.store(this.memory, TRANSACTION, transaction);
  }

  get execution(): ExecutionStep {
    return { transaction: Atomics.load(this.memory, TRANSACTION), step: Atomics.load(this.memory, STEP) };
  }
}
