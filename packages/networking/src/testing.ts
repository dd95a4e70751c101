/** What tests of the wire need below the public interface; no other package imports it outside tests. */
export { FrameReader, frameOf } from "./requests/frames.js";
export { nodeId } from "./scoring/node-id.js";
export type { ServedSources } from "./serving/interface.js";
export { type Timings, timingsOf } from "./timings.js";
export { networkLabel, protocolId } from "./wire/ids.js";
export type { ProtocolName } from "./wire/protocol.js";
export { statusProtocol } from "./wire/status.js";
