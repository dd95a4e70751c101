import "./polyfill.js";

export { NetworkingError } from "./errors.js";
export type {
  BlockAnnouncement,
  BlockBody,
  BlockId,
  GossipHandlers,
  NetworkEvent,
  Peer,
  PeerId,
  PeerNetwork,
  PeerStatus,
  SnapshotBlock,
  SnapshotChunk,
  SnapshotStatus,
  Verdict,
} from "./interface.js";
export { openNetwork, type RunningNetwork } from "./network.js";
export { DEVELOPMENT_LIMITS, type NetworkingOptions, type PeerLimits, PUBLIC_LIMITS } from "./options.js";
export { askedRates } from "./requests/rates.js";
export type { ScoringEvent } from "./scoring/events.js";
export type { ReputationSummary, ScoringAdmin, ScoringReport } from "./scoring/interface.js";
export { openPeerScoring, type RunningPeerScoring } from "./scoring/peer-scoring.js";
export { assembleBlock, checkBody } from "./wire/assemble.js";
export { MAX_GOSSIP_TRANSACTIONS } from "./wire/gossip.js";
export { SKELETON_STEP } from "./wire/limits.js";
