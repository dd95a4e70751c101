export {
  type DiscoveryMessage,
  decodeDiscoveryPacket,
  encodeDiscoveryPacket,
  recoverDiscoverySender,
} from "./discovery/packets.js";
export { RlpxError } from "./errors.js";
export { decodeMessage, encodeMessage } from "./rsk/encoding.js";
export type { RskMessage } from "./rsk/messages.js";
export type { RlpxConnection } from "./transport/connection.js";
export { FrameDecoder } from "./transport/frame-decoder.js";
export { FrameEncoder } from "./transport/frame-encoder.js";
export { recoverEphemeralKey } from "./transport/handshake.js";
export { decodeAck, decodeAuth, sealPacket } from "./transport/handshake-packets.js";
export { type AgreementKey, agreementKey } from "./transport/key-agreement.js";
export { listenRlpx } from "./transport/listener.js";
export { Negotiation } from "./transport/negotiation.js";
export { dialRlpx } from "./transport/open-connection.js";
export type { RlpxOptions } from "./transport/options.js";
export { PacketReader } from "./transport/packet-reader.js";
export { deriveSecrets, type FrameSecrets } from "./transport/secrets.js";
