import { existsSync } from "node:fs";
import { decodeRlpItem, EMPTY_BYTES, fromHex } from "@cambium/primitives";
import {
  agreementKey,
  decodeMessage,
  deriveSecrets,
  FrameDecoder,
  type FrameSecrets,
  PacketReader,
  RlpxError,
  type RskMessage,
} from "@cambium/rlpx";
import type { HandshakeRandom, PacketForm } from "@cambium/rlpx/testing";
import { readVector } from "../chains/chain-vectors.js";
import { vectorPath } from "../vectors.js";

interface RecordedSide {
  staticPrivate: string;
  nodeId: string;
  /** Ephemeral private key, known only for the recorder. */
  ephemeralPrivate?: string;
  ephemeralPublic: string;
  nonce: string;
}

interface RecordedHandshake {
  we: "initiator" | "responder";
  initiator: RecordedSide;
  responder: RecordedSide;
  auth: string;
  ack: string;
  authForm: PacketForm;
}

interface RecordedLine {
  record: "message" | "note" | "closed";
  dir: "send" | "recv";
  code: number;
  frame: string;
  headerData?: string;
  by?: "peer" | "us";
}

/** A message of a recorded connection. */
export interface RecordedMessage {
  /** Whether the recorder sent the message, not the deployed client. */
  isOurs: boolean;
  code: number;
  payload: Uint8Array;
  /** The frame as on the wire. */
  frame: Uint8Array;
  /** Header data of the frame, if it is not that of a whole message. */
  headerData: Uint8Array | undefined;
  /** The message; undefined for the base protocol, and for malformed ones. */
  message: RskMessage | undefined;
}

const FIRST_CAPABILITY_CODE = 0x10;

/** A whole connection of the deployed client, as recorded in `test/vectors/rlpx/conversations`. */
export class Conversation {
  readonly messages: readonly RecordedMessage[];
  /** Whether the deployed client closed the connection. */
  readonly isClosedByPeer: boolean;
  private readonly handshake: RecordedHandshake;

  private constructor(lines: readonly string[]) {
    const [handshake, ...records] = lines.map((line) => JSON.parse(line));
    this.handshake = handshake;
    this.messages = this.decode(records.filter(({ record }: RecordedLine) => record === "message"));
    this.isClosedByPeer = records.some(({ record, by }: RecordedLine) => record === "closed" && by === "peer");
  }

  static read(name: string): Conversation {
    const plain = `${vectorPath("rlpx", "conversations")}/${name}.jsonl`;
    return new Conversation(
      readVector(existsSync(plain) ? plain : `${plain}.gz`)
        .trim()
        .split("\n"),
    );
  }

  /** Whether the deployed client dialled. */
  get isDialled(): boolean {
    return this.handshake.we === "responder";
  }

  get auth(): Uint8Array {
    return fromHex(this.handshake.auth);
  }

  get ack(): Uint8Array {
    return fromHex(this.handshake.ack);
  }

  /** Node key of the recorder, in hex: that of the node that replaces it. */
  get ourKey(): string {
    return this.ours.staticPrivate;
  }

  /** Form of the packet with which the dialling side opens the handshake. */
  get authForm(): PacketForm {
    return this.handshake.authForm;
  }

  /** Node key of the deployed client, in hex: that of the node that replaces it. */
  get peerKey(): string {
    return this.theirs.staticPrivate;
  }

  /** Node id of the deployed client, in hex. */
  get peerId(): string {
    return this.theirs.nodeId;
  }

  /** Returns random input with which a node sends the handshake packet of the recorder. */
  ourRandom(): HandshakeRandom {
    const { ours, theirs } = this;
    const key = agreementKey(fromHex(theirs.staticPrivate));
    const kind = this.isDialled ? "ack" : "auth";
    const { packet, plaintext, form } = new PacketReader(kind, key).push(this[kind])!;
    const box = form === "eip8" ? packet.subarray(2) : packet;
    // The ephemeral key is known by its public part only; the recipient's key gives the same shared secret.
    const publicKey = box.subarray(1, 65);
    const padding = form === "eip8" ? plaintext.subarray(decodeRlpItem(plaintext).end) : EMPTY_BYTES;
    return {
      ephemeralPrivateKey: fromHex(ours.ephemeralPrivate!),
      nonce: fromHex(ours.nonce),
      packet: { key: { publicKey, agree: () => key.agree(publicKey) }, iv: box.subarray(65, 81), padding },
    };
  }

  /** Returns the keys of the frames from the deployed client's side. */
  peerSecrets(): FrameSecrets {
    const { initiator, responder } = this.handshake;
    const transcript = {
      agreed: agreementKey(fromHex(this.ours.ephemeralPrivate!)).agree(fromHex(this.theirs.ephemeralPublic)),
      initiatorNonce: fromHex(initiator.nonce),
      responderNonce: fromHex(responder.nonce),
      auth: this.auth,
      ack: this.ack,
    };
    return deriveSecrets(transcript, this.isDialled ? "initiator" : "responder");
  }

  private get ours(): RecordedSide {
    return this.handshake[this.isDialled ? "responder" : "initiator"];
  }

  private get theirs(): RecordedSide {
    return this.handshake[this.isDialled ? "initiator" : "responder"];
  }

  private decode(lines: readonly RecordedLine[]): RecordedMessage[] {
    const secrets = this.peerSecrets();
    const decoders = {
      send: new FrameDecoder(secrets),
      recv: new FrameDecoder({ ...secrets, ingress: secrets.egress }),
    };
    return lines.map(({ dir, frame, headerData }) => {
      const bytes = fromHex(frame);
      decoders[dir].push(bytes);
      const { code, payload } = decoders[dir].next()!;
      return {
        isOurs: dir === "send",
        code,
        payload,
        frame: bytes,
        headerData: headerData === undefined ? undefined : fromHex(headerData),
        message: messageOf(code, payload),
      };
    });
  }
}

function messageOf(code: number, payload: Uint8Array): RskMessage | undefined {
  if (code < FIRST_CAPABILITY_CODE) return undefined;
  try {
    return decodeMessage(code, payload);
  } catch (error) {
    if (error instanceof RlpxError) return undefined;
    throw error;
  }
}
