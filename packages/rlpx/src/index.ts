export { openDiscovery } from "./discovery/discovery.js";
export { parseEnode } from "./discovery/enode.js";
export type { DiscoveredNode, Discovery } from "./discovery/interface.js";
export { nodeFile } from "./discovery/node-file.js";
export {
  type DiscoveryMessage,
  decodeDiscoveryPacket,
  encodeDiscoveryPacket,
  recoverDiscoverySender,
} from "./discovery/packets.js";
export { RlpxError } from "./errors.js";
export { decodeMessage, encodeMessage } from "./rsk/encoding.js";
export type {
  AnswerTo,
  BestBlock,
  NetworkStatus,
  Notifications,
  RequestContent,
  RequestName,
  Responses,
  RskMessage,
  RskRequest,
  RskResponse,
} from "./rsk/messages.js";
export { type IncomingNotification, type IncomingRequest, RskSession } from "./rsk/session.js";
export { commonVersion, FIRST_VERSION, RANGE_VERSION, RSK_CAPABILITIES } from "./rsk/versions.js";
export type { CloseReason, RlpxConnection } from "./transport/connection.js";
export { DISCONNECT_REASONS } from "./transport/disconnect.js";
export { FrameDecoder } from "./transport/frame-decoder.js";
export { FrameEncoder } from "./transport/frame-encoder.js";
export { recoverEphemeralKey } from "./transport/handshake.js";
export { decodeAck, decodeAuth, sealPacket } from "./transport/handshake-packets.js";
export { HeldBytes } from "./transport/held-bytes.js";
export type { Capability } from "./transport/hello.js";
export { type AgreementKey, agreementKey, newPrivateKey } from "./transport/key-agreement.js";
export { listenRlpx, type RlpxListener } from "./transport/listener.js";
export { Negotiation } from "./transport/negotiation.js";
export { dialRlpx } from "./transport/open-connection.js";
export type { RlpxOptions } from "./transport/options.js";
export { PacketReader } from "./transport/packet-reader.js";
export { type PendingHandshake, PendingHandshakes } from "./transport/pending-handshakes.js";
export { deriveSecrets, type FrameSecrets } from "./transport/secrets.js";
