import "./libp2p/polyfill.js";

export { assembleBlock, checkBody } from "./block-assembly.js";
export { NetworkingError } from "./errors.js";
export type {
  BlockAnnouncement,
  BlockBody,
  BlockId,
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
export { openNetwork, type RunningNetwork } from "./libp2p/libp2p-network.js";
export { MAX_GOSSIP_TRANSACTIONS } from "./libp2p/wire/gossip.js";
export { SKELETON_STEP } from "./libp2p/wire/limits.js";
export { DEVELOPMENT_LIMITS, type NetworkingOptions } from "./options.js";
export type { ScoringEvent } from "./scoring/events.js";
export type { ReputationSummary, ScoringAdmin, ScoringReport } from "./scoring/interface.js";
export { openPeerScoring, type RunningPeerScoring } from "./scoring/peer-scoring.js";
