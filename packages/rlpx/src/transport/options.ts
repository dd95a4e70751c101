import type { Clock, Logger } from "@cambium/primitives";
import { MAXIMUM_BODY } from "./frame-format.js";
import type { HandshakeRandom } from "./handshake.js";
import type { HeldBytes } from "./held-bytes.js";
import type { Capability } from "./hello.js";

/** Key of a node. */
export interface RlpxIdentity {
  /** Private key, 32 bytes. */
  privateKey: Uint8Array;
  /** Public key, 64 bytes. */
  nodeId: Uint8Array;
}

/** Time limits and intervals in milliseconds. */
export interface RlpxTimeouts {
  /** Time for establishing the TCP connection. */
  connect: number;
  /** Time for handshake and Hello together. The reference client does not answer an auth that it cannot read. */
  handshake: number;
  /** Time without a whole frame from the peer. */
  idle: number;
  firstPing: number;
  /**
   * Time between two pings. None is sent while one is unanswered. The reference client sends one every 5 s; its limit
   * is 300 s.
   */
  ping: number;
  /** Time for a sign of life after {@link RlpxConnection.probe}, twice. */
  probe: number;
  /** Time during which the send queue may be above its high-water mark. */
  stalled: number;
  /** Time for sending a Disconnect and the messages queued before it. */
  flush: number;
}

/** Times of the reference client (`spec/07 §A.2`), except for pings, and further ones where it has no limit. */
export const DEFAULT_TIMEOUTS: RlpxTimeouts = {
  connect: 2000,
  handshake: 8000,
  idle: 300_000,
  firstPing: 2000,
  ping: 60_000,
  probe: 5000,
  stalled: 30_000,
  flush: 1000,
};

/** Limits in bytes. */
export interface RlpxLimits {
  /** Maximum size of a received message, code included. */
  message: number;
  /** Number of queued bytes above which `send` returns false. */
  highWaterMark: number;
  /** Number of queued bytes above which the connection is closed. */
  sendQueue: number;
}

export const DEFAULT_LIMITS: RlpxLimits = { message: MAXIMUM_BODY, highWaterMark: 2 ** 20, sendQueue: 2 ** 24 };

/** Options of a connection, whichever side opens it. */
export interface RlpxOptions {
  identity: RlpxIdentity;
  hello: {
    clientId: string;
    capabilities: readonly Capability[];
    listenPort: number;
  };
  /** Capabilities that a peer must offer at least one of; a peer without any is refused. */
  requires?: readonly Capability[];
  clock: Clock;
  logger: Logger;
  timeouts?: Partial<RlpxTimeouts>;
  limits?: Partial<RlpxLimits>;
  /** Counter shared by connections whose memory is bounded together. */
  heldBytes?: HeldBytes;
  /** Returns random input of a handshake; replaced to repeat a recorded handshake. */
  random?: () => HandshakeRandom;
}
