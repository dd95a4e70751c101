import { equalBytes } from "@cambium/primitives";
import { RlpxError } from "../errors.js";
import { DISCONNECT, HELLO } from "./base-protocol.js";
import { DISCONNECT_REASONS, decodeDisconnect, disconnectReasonName, encodeDisconnect } from "./disconnect.js";
import { type Frame, FrameDecoder } from "./frame-decoder.js";
import { FrameEncoder } from "./frame-encoder.js";
import { answerAuth, InitiatorHandshake, newHandshakeRandom } from "./handshake.js";
import {
  ACCEPTED_P2P_VERSIONS,
  type Capability,
  decodeHello,
  encodeHello,
  type Hello,
  MAXIMUM_HELLO_BODY,
  P2P_VERSION,
} from "./hello.js";
import { type AgreementKey, agreementKey } from "./key-agreement.js";
import { DEFAULT_LIMITS, type RlpxOptions } from "./options.js";
import { PacketReader, type ReceivedPacket } from "./packet-reader.js";
import type { FrameSecrets } from "./secrets.js";

/** Codecs of a connection after the Hello of both sides, and the peer's statements about itself. */
export interface NegotiatedWire {
  /** Node id of the peer, 64 bytes. */
  remoteId: Uint8Array;
  hello: Hello;
  encoder: FrameEncoder;
  /** Decoder, which may already hold received frames. */
  decoder: FrameDecoder;
}

/** Codecs while the peer's Hello is awaited. */
type Wire = Omit<NegotiatedWire, "hello">;

/** The step that is awaited from the peer. */
type Stage = "auth" | "ack" | "hello";

/**
 * One side of the encrypted handshake and the exchange of Hello (`spec/07 §A.2.2`, §A.2.4), over any transport. The
 * initiator sends its Hello once it has the ack. The responder answers the initiator's Hello, like the reference
 * client. Either order is accepted.
 */
export class Negotiation {
  private readonly key: AgreementKey;
  private readonly reader: PacketReader;
  private initiator: InitiatorHandshake | undefined;
  private wire: Wire | undefined;

  /** `remoteId` (64 bytes) is the dialled node; undefined if the peer dialled. `write` sends bytes to the peer. */
  constructor(
    private readonly options: RlpxOptions,
    private readonly remoteId: Uint8Array | undefined,
    private readonly write: (bytes: Uint8Array) => void,
  ) {
    this.key = agreementKey(options.identity.privateKey);
    this.reader = new PacketReader(remoteId === undefined ? "auth" : "ack", this.key);
  }

  get stage(): Stage {
    if (this.wire !== undefined) return "hello";
    return this.remoteId === undefined ? "auth" : "ack";
  }

  /** Sends the auth if this side dialled. Throws {@link RlpxError} `MALFORMED` if the node id is not a curve point. */
  start(): void {
    if (this.remoteId === undefined) return;
    this.initiator = new InitiatorHandshake(this.key, this.remoteId, this.newRandom());
    this.write(this.initiator.auth);
  }

  /**
   * Processes received bytes. Returns the wire once both sides have sent Hello. Throws {@link RlpxError}: the
   * connection must then be closed.
   */
  receive(chunk: Uint8Array): NegotiatedWire | undefined {
    if (this.wire === undefined) {
      const received = this.reader.push(chunk);
      if (received === undefined) return undefined;
      this.wire = this.agree(received);
      this.wire.decoder.push(received.rest);
    } else {
      this.wire.decoder.push(chunk);
    }
    const frame = this.wire.decoder.next();
    return frame && this.receiveHello(this.wire, frame);
  }

  private agree(received: ReceivedPacket): Wire {
    if (this.initiator !== undefined) {
      const wire = wireOf(this.remoteId!, this.initiator.receiveAck(received));
      this.sendHello(wire);
      return wire;
    }
    const { remoteId, ack, secrets } = answerAuth(this.key, received, this.newRandom());
    if (equalBytes(remoteId, this.options.identity.nodeId)) throw new RlpxError({ code: "OWN_ID" });
    this.write(ack);
    return wireOf(remoteId, secrets);
  }

  private receiveHello(wire: Wire, { code, payload }: Frame): NegotiatedWire {
    if (code === DISCONNECT) throw refusal(`disconnected: ${disconnectReasonName(decodeDisconnect(payload))}`);
    if (code !== HELLO) throw refusal(`message 0x${code.toString(16)} instead of Hello`);
    const hello = decodeHello(payload);
    if (this.remoteId === undefined) this.sendHello(wire);
    this.checkHello(wire, hello);
    wire.decoder.maximumBody = this.options.limits?.message ?? DEFAULT_LIMITS.message;
    return { ...wire, hello };
  }

  private checkHello({ remoteId, encoder }: Wire, { p2pVersion, capabilities, nodeId }: Hello): void {
    if (!ACCEPTED_P2P_VERSIONS.includes(p2pVersion)) throw refusal(`p2p version ${p2pVersion}`);
    const { requires } = this.options;
    const isOffered = (one: Capability) =>
      capabilities.some(({ name, version }) => name === one.name && version === one.version);
    if (requires !== undefined && !requires.some(isOffered)) {
      throw refusal(`the peer lacks ${requires.map(({ name, version }) => `${name}/${version}`).join(" and ")}`);
    }
    // The reference client does not compare the ids.
    if (!equalBytes(nodeId, remoteId)) {
      this.write(encoder.encode(DISCONNECT, encodeDisconnect(DISCONNECT_REASONS.unexpectedIdentity)));
      throw refusal("the node id in Hello is not the key of the handshake");
    }
  }

  private sendHello({ encoder }: Wire): void {
    const { hello, identity } = this.options;
    const payload = encodeHello({ p2pVersion: P2P_VERSION, ...hello, nodeId: identity.nodeId });
    this.write(encoder.encode(HELLO, payload));
  }

  private newRandom() {
    return (this.options.random ?? newHandshakeRandom)();
  }
}

function wireOf(remoteId: Uint8Array, secrets: FrameSecrets): Wire {
  return { remoteId, encoder: new FrameEncoder(secrets), decoder: new FrameDecoder(secrets, MAXIMUM_HELLO_BODY) };
}

function refusal(reason: string): RlpxError {
  return new RlpxError({ code: "HANDSHAKE_FAILED", stage: "hello", reason });
}
