import type { ChainReader } from "@cambium/chain";
import { BlockHeader } from "@cambium/types";
import { pendingTooLarge } from "../errors.js";
import type { PendingBlock } from "../sources/node.js";
import type { SimulatedCandidate, SimulationChain, SimulationRequest } from "./simulation.js";

/** Throws {@link RpcError} `LIMIT_EXCEEDED` if the block's state is too large to be sent. */
export function simulatedCandidate({ block, stateChanges }: PendingBlock): SimulatedCandidate {
  if (stateChanges === undefined) throw pendingTooLarge();
  return { header: block.header.encode("full"), stateChanges };
}

/**
 * The chain to simulate on: the stored one, or the stored one with the request's pending block on top (`spec/09 §5.1`).
 */
export function simulationChain(chain: ChainReader, { pending }: Pick<SimulationRequest, "pending">): SimulationChain {
  if (pending === undefined) return chain;
  const { network } = chain;
  const top = chain.openCandidate(BlockHeader.decode(pending.header, network), pending.stateChanges);
  return {
    network,
    headerByHash: () => top.header,
    stateAfter: () => top.state,
    call: (call, _hash, prepare) => top.call(call, prepare),
    openSimulation: () => top.openSimulation(),
  };
}
