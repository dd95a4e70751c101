import { type BestBlock, FIRST_VERSION, type NetworkStatus, RANGE_VERSION } from "@cambium/rlpx";
import type { ServedSources } from "../serving/served-sources.js";

type OwnStatus = BestBlock & { totalDifficulty: bigint };

/**
 * This node's claim to a peer with a version of the `rsk` capability. While blocks are missing below it, it claims
 * genesis, as the deployed client does (`spec/07 §B.2`), unless the peer reads which blocks it serves.
 */
export function ownStatus({ chain, earliestBody }: ServedSources, version: number): OwnStatus {
  const earliestBlock = earliestBody();
  const saysRange = version >= RANGE_VERSION;
  if (earliestBlock > 0 && !saysRange) {
    const { hash, parentHash } = chain.genesis;
    const totalDifficulty = chain.totalDifficulty(hash)!;
    return { bestNumber: 0, bestHash: hash, bestParentHash: parentHash, totalDifficulty };
  }
  const { header, hash, totalDifficulty } = chain.best();
  const best = { bestNumber: header.number, bestHash: hash, bestParentHash: header.parentHash, totalDifficulty };
  return saysRange ? { ...best, earliestBlock } : best;
}

/** The Status with which the capability is negotiated (`spec/07 §A.3.1`). It has the first version with every peer. */
export function ownNetworkStatus(sources: ServedSources): NetworkStatus {
  const { chain } = sources;
  const { bestHash, totalDifficulty } = ownStatus(sources, FIRST_VERSION);
  return {
    protocolVersion: FIRST_VERSION,
    networkId: chain.network.networkId,
    totalDifficulty,
    bestHash,
    genesisHash: chain.genesis.hash,
  };
}
