import type { ChainReader, ExecutedCandidate } from "@cambium/chain";
import { equalBytes } from "@cambium/primitives";
import { Block } from "@cambium/types";
import type { SimulationChain, SimulationRequest } from "./simulation.js";

/** The executed pending block of each chain, shared by all calls until the next pending block. */
const executed = new WeakMap<ChainReader, ExecutedCandidate>();

/**
 * The chain to simulate on: the stored one, or the stored one with the request's pending block on top (`spec/09 §5.1`).
 */
export function simulationChain(chain: ChainReader, { candidate, blockHash }: SimulationRequest): SimulationChain {
  if (candidate === undefined) return chain;
  const top = executedCandidate(chain, candidate, blockHash);
  return {
    network: chain.network,
    headerByHash: () => top.header,
    stateAfter: () => top.state,
    call: (call, _hash, prepare) => top.call(call, prepare),
  };
}

function executedCandidate(chain: ChainReader, candidate: Uint8Array, hash: Uint8Array): ExecutedCandidate {
  const known = executed.get(chain);
  if (known !== undefined && equalBytes(known.header.hash, hash)) return known;
  const fresh = chain.executeCandidate(Block.decode(candidate, chain.network));
  executed.set(chain, fresh);
  return fresh;
}
