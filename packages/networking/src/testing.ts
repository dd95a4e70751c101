/** Internals for tests of the wire; only tests import them. */
export { FrameReader, frameOf } from "./requests/frames.js";
export { nodeId } from "./scoring/node-id.js";
export type { ServedSources } from "./serving/interface.js";
export { type Timings, timingsOf } from "./timings.js";
export { networkLabel, protocolId } from "./wire/ids.js";
export type { ProtocolName } from "./wire/protocol.js";
export { statusProtocol } from "./wire/status.js";
