/** Internals for tests of the wire; only tests import them. */

export { decodeDisconnect } from "./transport/disconnect.js";
export type { Frame } from "./transport/frame-decoder.js";
export { paddedLength, ZERO_IV } from "./transport/frame-format.js";
export { answerAuth, type HandshakeRandom, InitiatorHandshake, newHandshakeRandom } from "./transport/handshake.js";
export type { PacketForm } from "./transport/handshake-packets.js";
export { decodeHello, encodeHello, type Hello } from "./transport/hello.js";
export { newPrivateKey } from "./transport/key-agreement.js";
export { MacState } from "./transport/mac-state.js";
