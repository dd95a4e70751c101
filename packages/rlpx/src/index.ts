export { FrameDecoder } from "./transport/frame-decoder.js";
export { FrameEncoder } from "./transport/frame-encoder.js";
export { recoverEphemeralKey } from "./transport/handshake.js";
export { decodeAck, decodeAuth, sealPacket } from "./transport/handshake-packets.js";
export { type AgreementKey, agreementKey } from "./transport/key-agreement.js";
export { PacketReader } from "./transport/packet-reader.js";
export { deriveSecrets, type FrameSecrets } from "./transport/secrets.js";
