import type { Clock, Logger } from "@cambium/primitives";
import { MAXIMUM_BODY } from "./frame-format.js";
import type { HandshakeRandom } from "./handshake.js";
import type { HeldBytes } from "./held-bytes.js";
import type { Capability } from "./hello.js";

/** Key of a node. */
export interface RlpxIdentity {
  /** 32 bytes. */
  privateKey: Uint8Array;
  /** Its public key, 64 bytes. */
  nodeId: Uint8Array;
}

/** Milliseconds. */
export interface RlpxTimeouts {
  /** Establishing the TCP connection. */
  connect: number;
  /** Handshake and Hello together. The reference client does not answer an auth that it cannot read. */
  handshake: number;
  /** Without a whole frame from the peer. */
  idle: number;
  firstPing: number;
  /**
   * Between two pings. None is sent while one is unanswered. The reference client sends one every 5 s; its limit is 300
   * s.
   */
  ping: number;
  /** For a sign of life after {@link RlpxConnection.probe}, twice. */
  probe: number;
  /** During which the send queue may be above its high-water mark. */
  stalled: number;
  /** For sending a Disconnect and what is queued before it. */
  flush: number;
}

/** The times of the reference client (`spec/07 §A.2`), but for pings, and those for what it does not limit. */
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

/** Bytes. */
export interface RlpxLimits {
  /** The largest message that is read, code included. */
  message: number;
  /** Above this many queued bytes, `send` returns false. */
  highWaterMark: number;
  /** Above this many queued bytes, the connection is closed. */
  sendQueue: number;
}

export const DEFAULT_LIMITS: RlpxLimits = { message: MAXIMUM_BODY, highWaterMark: 2 ** 20, sendQueue: 2 ** 24 };

/** What a connection needs, whichever side opens it. */
export interface RlpxOptions {
  identity: RlpxIdentity;
  hello: {
    clientId: string;
    capabilities: readonly Capability[];
    listenPort: number;
  };
  /** A peer without any of these capabilities is refused. */
  requires?: readonly Capability[];
  clock: Clock;
  logger: Logger;
  timeouts?: Partial<RlpxTimeouts>;
  limits?: Partial<RlpxLimits>;
  /** Shared by the connections whose memory is bounded together. */
  heldBytes?: HeldBytes;
  /** Random input of a handshake; replaced to repeat a recorded one. */
  random?: () => HandshakeRandom;
}
