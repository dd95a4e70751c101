import type { Evm, LocalCall, LocalCallOutcome } from "@cambium/evm";
import { type ExecutingBlock, JournaledState, type KeyedStateView } from "@cambium/state";
import type { BlockHeader } from "@cambium/types";
import type { ExecutedCandidate, Simulation } from "../interface.js";
import { StateSimulation } from "./state-simulation.js";

/** A block that is not stored, and the state after it. */
export class CandidateState implements ExecutedCandidate {
  constructor(
    readonly header: BlockHeader,
    readonly state: KeyedStateView,
    private readonly block: ExecutingBlock,
    private readonly evm: Evm,
  ) {}

  call(call: LocalCall, prepare?: (state: JournaledState) => void): LocalCallOutcome {
    const working = new JournaledState(this.state);
    prepare?.(working);
    return this.evm.call(call, this.block, working);
  }

  openSimulation(): Simulation {
    return new StateSimulation(new JournaledState(this.state), this.block, this.evm);
  }
}
