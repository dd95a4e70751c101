import "./polyfill.js";

export * from "./errors.js";
export type * from "./interface.js";
export { type NetworkModules, openNetwork, type RunningNetwork } from "./network.js";
export * from "./options.js";
export { askedRates } from "./requests/rates.js";
export { SCORING_EVENTS, type ScoringEvent } from "./scoring/events.js";
export type * from "./scoring/interface.js";
export { openPeerScoring, type PeerScoringOptions, type RunningPeerScoring } from "./scoring/peer-scoring.js";
export { assembleBlock, checkBody } from "./wire/assemble.js";
export { MAX_GOSSIP_TRANSACTIONS } from "./wire/gossip.js";
