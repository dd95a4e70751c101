import type { NetworkStatus, Notifications } from "@cambium/rlpx";
import type { ServedSources } from "../serving/served-sources.js";

/** Version of the `rsk` capability. */
export const RSK_VERSION = 62;

/** This node's claim. While blocks are missing below it claims genesis, as the deployed client does (`spec/07 §B.2`). */
export function ownStatus({ chain, earliestBody }: ServedSources): Notifications["status"] {
  if (earliestBody() > 0) {
    const { hash, parentHash } = chain.genesis;
    const totalDifficulty = chain.totalDifficulty(hash)!;
    return { bestNumber: 0, bestHash: hash, bestParentHash: parentHash, totalDifficulty };
  }
  const { header, hash, totalDifficulty } = chain.best();
  return { bestNumber: header.number, bestHash: hash, bestParentHash: header.parentHash, totalDifficulty };
}

/** The Status with which the capability is negotiated (`spec/07 §A.3.1`). */
export function ownNetworkStatus(sources: ServedSources): NetworkStatus {
  const { chain } = sources;
  const { bestHash, totalDifficulty } = ownStatus(sources);
  return {
    protocolVersion: RSK_VERSION,
    networkId: chain.network.networkId,
    totalDifficulty,
    bestHash,
    genesisHash: chain.genesis.hash,
  };
}
