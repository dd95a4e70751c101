import type {
  AcceptOptions,
  BlockId,
  BlockOutcome,
  Reorganisation,
  StateWriter,
  StoredStates,
} from "@cambium/chain-store";
import type { Database, Write } from "@cambium/database";
import { ForkedState, type KeyedState, openState } from "@cambium/state";
import type { ForkSource } from "./fork-source.js";

/** The states of a fork: differences from the source are stored in one of the usual layouts. */
export class ForkedStates implements StoredStates {
  constructor(
    private readonly stored: StoredStates,
    private readonly source: ForkSource,
  ) {}

  get layout() {
    return this.stored.layout;
  }

  /** Returns the source's own state below the block where the fork begins. */
  after(block: BlockId, outcome: BlockOutcome): ForkedState | undefined {
    if (block.number < this.source.fork.number) {
      return new ForkedState(openState().state, this.source.after({ number: block.number, hash: block.hash }));
    }
    const local = this.stored.after(block, outcome);
    return local && new ForkedState(local, this.source);
  }
}

/** {@link ForkedStates} for the thread that imports. */
export class ForkedStateWriter extends ForkedStates implements StateWriter {
  constructor(
    private readonly writer: StateWriter,
    source: ForkSource,
  ) {
    super(writer, source);
  }

  accept(block: BlockId, state: KeyedState, change: Reorganisation | undefined, options?: AcceptOptions): Write[] {
    if (!(state instanceof ForkedState)) throw new TypeError("not a state of a fork");
    return this.writer.accept(block, state.local, change, options);
  }

  rewind(change: Reorganisation, target: BlockId): Write[] {
    return this.writer.rewind(change, target);
  }

  forget(target: BlockId): Write[] {
    return this.writer.forget(target);
  }

  mark(): void {
    this.writer.mark();
  }

  garbage(database: Database): ReturnType<StateWriter["garbage"]> {
    return this.writer.garbage(database);
  }

  catchUp(): Write[] {
    return this.writer.catchUp();
  }

  close(): Write[] {
    return this.writer.close();
  }
}
