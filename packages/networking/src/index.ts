import "./libp2p/polyfill.js";

export { assembleBlock, checkBody } from "./block-assembly.js";
export { NetworkingError } from "./errors.js";
export type {
  BlockAnnouncement,
  BlockBody,
  BlockId,
  BlockVerdict,
  GossipHandlers,
  NetworkEvent,
  Peer,
  PeerCapabilities,
  PeerId,
  PeerNetwork,
  PeerStatus,
  ReceivedAnnouncement,
  RequestRates,
  SnapshotBlock,
  SnapshotChunk,
  SnapshotStatus,
  Verdict,
} from "./interface.js";
export type { PeerChanges, RunningNetwork } from "./network.js";
export { checkNetworkingOptions, openNetwork } from "./open-network.js";
export { DEVELOPMENT_LIMITS, type NetworkingOptions, type RlpxWireOptions } from "./options.js";
export type { ScoringEvent } from "./scoring/events.js";
export type { ReputationSummary, ScoringAdmin, ScoringReport } from "./scoring/interface.js";
export { openPeerScoring, type RunningPeerScoring } from "./scoring/peer-scoring.js";
export { MAX_GOSSIP_TRANSACTIONS, SKELETON_STEP } from "./shared/limits.js";
export { peerIdOf } from "./shared/peer-id.js";
