import type { Evm, LocalCall, LocalCallOutcome, Tracer } from "@cambium/evm";
import type { ExecutingBlock, JournaledState, WorldState } from "@cambium/state";
import type { Simulation } from "../interface.js";

/** A working state for calls that build on each other. */
export class StateSimulation implements Simulation {
  constructor(
    readonly state: JournaledState,
    readonly block: ExecutingBlock,
    private readonly evm: Evm,
  ) {}

  execute(call: LocalCall, block: ExecutingBlock, tracer?: Tracer, observed?: WorldState): LocalCallOutcome {
    return this.evm.simulate(call, block, observed ?? this.state, tracer);
  }
}
