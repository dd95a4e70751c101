import { type BestBlock, FIRST_VERSION, type NetworkStatus, RANGE_VERSION } from "@cambium/rlpx";
import type { ServedSources } from "../serving/served-sources.js";

type OwnStatus = BestBlock & { totalDifficulty: bigint };

/**
 * Returns this node's claim for a peer with a version of the `rsk` capability. While blocks are missing below its best
 * block, it claims genesis, like the deployed client (`spec/07 §B.2`). A peer that reads the range of served blocks
 * gets the true claim.
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

/**
 * Returns the Status with which the capability is negotiated (`spec/07 §A.3.1`). Every peer gets the one of the first
 * version.
 */
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
