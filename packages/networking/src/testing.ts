/** Internals for tests of the wire; only tests import them. */
export { FrameReader, frameOf } from "./libp2p/requests/frames.js";
export { networkLabel, protocolId } from "./libp2p/wire/ids.js";
export type { ProtocolName } from "./libp2p/wire/protocols.js";
export { type Status, statusProtocol } from "./libp2p/wire/status.js";
export { answerTo } from "./rlpx/answers.js";
export { RlpxGossip } from "./rlpx/gossip.js";
export { nodeId } from "./scoring/node-id.js";
export type { ServedSources } from "./serving/served-sources.js";
export { peerIdOf } from "./shared/peer-id.js";
export { type Timings, timingsOf } from "./shared/timings.js";
