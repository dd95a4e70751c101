import type { ServedSources } from "../../serving/served-sources.js";
import { SERVES_SNAPSHOTS, type Status } from "../wire/status.js";

export interface OwnStatusOptions {
  servesSnapshots: boolean;
  clientId: string;
  /** Returns the listening port; 0 if the node accepts no connections. */
  listenPort(): number;
}

/** This node's present Status. */
export function ownStatus(sources: ServedSources, options: OwnStatusOptions): Status {
  const { chain } = sources;
  const { header, hash, totalDifficulty } = chain.best();
  return {
    chainId: chain.network.chainId,
    genesisHash: chain.genesis.hash,
    bestNumber: header.number,
    bestHash: hash,
    bestParentHash: header.parentHash,
    totalDifficulty,
    earliestBody: sources.earliestBody(),
    flags: options.servesSnapshots && sources.snapshots !== undefined ? SERVES_SNAPSHOTS : 0,
    listenPort: options.listenPort(),
    clientId: options.clientId,
  };
}
