import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { ChainReader } from "@cambium/chain";
import { concatBytes, encodeRlp, numberToBytes } from "@cambium/primitives";
import {
  type AgreementKey,
  agreementKey,
  decodeMessage,
  encodeMessage,
  FrameDecoder,
  type FrameSecrets,
  type NetworkStatus,
  PacketReader,
  RANGE_VERSION,
  type RskMessage,
} from "@cambium/rlpx";
import {
  answerAuth,
  encodeHello,
  type Frame,
  type HandshakeRandom,
  type Hello,
  InitiatorHandshake,
  newHandshakeRandom,
  newPrivateKey,
  type PacketForm,
} from "@cambium/rlpx/testing";
import { type RawFrame, RawFrames } from "./raw-frames.js";

const PATIENCE = 5000;
const HELLO = 0x00;
const FIRST_CAPABILITY_CODE = 0x10;

/** A peer's claims about its chain. */
export type RawClaims = NetworkStatus & { bestNumber: number; bestParentHash: Uint8Array };

/** Honest claims about a chain. */
export function claimsOf(chain: ChainReader): RawClaims {
  const { header, hash: bestHash, totalDifficulty } = chain.best();
  return {
    protocolVersion: 62,
    networkId: chain.network.networkId,
    genesisHash: chain.genesis.hash,
    bestNumber: header.number,
    bestHash,
    bestParentHash: header.parentHash,
    totalDifficulty,
  };
}

export interface RawDialOptions {
  /** Node id of the remote node, 64 bytes. */
  remoteId: Uint8Array;
  port: number;
  /** Local address of the connection. */
  from?: string;
  key?: AgreementKey;
  /** Random input that repeats a recorded handshake. */
  random?: HandshakeRandom;
  form?: PacketForm;
}

/** A peer on the deployed network's wire; a test writes every byte after the handshake. */
export class RawRlpxPeer {
  /** Frames that the node has sent. */
  readonly received: Frame[] = [];
  /** The answer to an inbound connection; the test writes it. */
  ack: Uint8Array | undefined;
  /** Called for each message of the capability. */
  onMessage: ((message: RskMessage) => void) | undefined;
  private frames: RawFrames | undefined;
  private decoder: FrameDecoder | undefined;
  private readonly reader: PacketReader;

  private constructor(
    readonly socket: Socket,
    readonly key: AgreementKey,
    private readonly initiator: InitiatorHandshake | undefined,
  ) {
    this.reader = new PacketReader(initiator === undefined ? "auth" : "ack", key);
    socket.on("error", () => {});
    socket.on("data", (chunk) => this.read(chunk));
  }

  /** Dials a port of this machine and finishes the handshake, without Hello. */
  static async dial({
    port,
    remoteId,
    from,
    key = agreementKey(newPrivateKey()),
    random = newHandshakeRandom(),
    form,
  }: RawDialOptions): Promise<RawRlpxPeer> {
    const socket = connect({ port, host: "127.0.0.1", ...(from !== undefined && { localAddress: from }) });
    await once(socket, "connect");
    const peer = new RawRlpxPeer(socket, key, new InitiatorHandshake(key, remoteId, random, form));
    socket.write(peer.initiator!.auth);
    await waitUntil(() => peer.frames !== undefined || peer.isClosed);
    if (peer.frames === undefined) throw new Error("the connection was closed in the handshake");
    return peer;
  }

  /** Answers the handshake of an inbound connection, once the test writes the ack. */
  static accept(socket: Socket, key: AgreementKey): RawRlpxPeer {
    return new RawRlpxPeer(socket, key, undefined);
  }

  get isClosed(): boolean {
    return this.socket.destroyed;
  }

  hello(changes: Partial<Hello> = {}): Uint8Array {
    return encodeHello({
      p2pVersion: 4,
      clientId: "raw",
      capabilities: [{ name: "rsk", version: 62 }],
      listenPort: 0,
      nodeId: this.key.publicKey,
      ...changes,
    });
  }

  frame(frame: RawFrame): Uint8Array {
    return this.frames!.write(frame);
  }

  message(code: number, payload: Uint8Array, headerData?: Uint8Array): Uint8Array {
    const body = concatBytes(encodeRlp(numberToBytes(code)), payload);
    return this.frame(headerData === undefined ? { body } : { body, headerData });
  }

  /** Sends a frame. Returns false if the node does not read fast enough. */
  send(code: number, payload: Uint8Array, headerData?: Uint8Array): boolean {
    return this.socket.write(this.message(code, payload, headerData));
  }

  sendMessage(message: RskMessage): boolean {
    const { code, payload } = encodeMessage(message);
    return this.send(code, payload);
  }

  /** Sends Hello and waits for the node's. */
  async greet(changes: Partial<Hello> = {}): Promise<this> {
    this.send(HELLO, this.hello(changes));
    await waitUntil(() => this.isClosed || this.received.some(({ code }) => code === HELLO));
    return this;
  }

  /** Sends Hello, and both kinds of Status. */
  async meet(claims: RawClaims): Promise<this> {
    await this.greet();
    this.sendMessage({ type: "networkStatus", ...claims });
    this.sendMessage({ type: "status", ...claims });
    return this;
  }

  codes(): number[] {
    return this.received.map(({ code }) => code);
  }

  /** Returns messages of the capability that the node has sent. */
  messages(): RskMessage[] {
    return this.received
      .filter(({ code }) => code >= FIRST_CAPABILITY_CODE)
      .map(({ code, payload }) => decodeMessage(code, payload, RANGE_VERSION));
  }

  /** Sends a request and waits for an answer with its id; undefined if the connection is closed instead. */
  async ask(request: RskMessage & { id: bigint }): Promise<RskMessage | undefined> {
    this.sendMessage(request);
    return this.answerTo(request.id);
  }

  /** Waits for an answer; undefined if the connection is closed instead. */
  async answerTo(id: bigint): Promise<RskMessage | undefined> {
    const find = () => this.messages().find((message) => "id" in message && message.id === id);
    await waitUntil(() => this.isClosed || find() !== undefined);
    return find();
  }

  private read(chunk: Uint8Array): void {
    if (this.decoder === undefined) {
      const packet = this.reader.push(chunk);
      if (packet === undefined) return;
      const secrets = this.initiator?.receiveAck(packet) ?? this.answer(packet);
      this.frames = new RawFrames(secrets);
      this.decoder = new FrameDecoder(secrets);
      this.decoder.push(packet.rest);
    } else {
      this.decoder.push(chunk);
    }
    for (let frame = this.decoder.next(); frame !== undefined; frame = this.decoder.next()) {
      this.received.push(frame);
      const { code, payload } = frame;
      if (code >= FIRST_CAPABILITY_CODE) this.onMessage?.(decodeMessage(code, payload, RANGE_VERSION));
    }
  }

  private answer(packet: Parameters<typeof answerAuth>[1]): FrameSecrets {
    const { ack, secrets } = answerAuth(this.key, packet, newHandshakeRandom());
    this.ack = ack;
    return secrets;
  }
}

/** Waits until a condition holds; fails after some seconds. */
export async function waitUntil(condition: () => boolean, milliseconds = PATIENCE): Promise<void> {
  for (const end = performance.now() + milliseconds; !condition(); ) {
    if (performance.now() > end) throw new Error(`still waiting for ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
