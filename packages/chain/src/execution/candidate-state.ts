import type { Evm, LocalCall, LocalCallOutcome } from "@cambium/evm";
import type { ExecutingBlock, JournaledState, StateReader } from "@cambium/state";
import type { BlockHeader } from "@cambium/types";
import type { ExecutedCandidate } from "../interface.js";

/** The working state after a block that is not stored, for any number of consecutive calls. */
export class CandidateState implements ExecutedCandidate {
  constructor(
    readonly header: BlockHeader,
    private readonly working: JournaledState,
    private readonly block: ExecutingBlock,
    private readonly evm: Evm,
  ) {}

  get state(): StateReader {
    return this.working;
  }

  call(call: LocalCall, prepare?: (state: JournaledState) => void): LocalCallOutcome {
    const before = this.working.checkpoint();
    try {
      prepare?.(this.working);
      return this.evm.call(call, this.block, this.working);
    } finally {
      this.working.revertTo(before);
    }
  }
}
