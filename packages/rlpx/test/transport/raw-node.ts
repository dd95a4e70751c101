import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { encodeRlp, numberToBytes } from "@cambium/primitives";
import { type Frame, FrameDecoder } from "../../src/transport/frame-decoder.js";
import { answerAuth, InitiatorHandshake, newHandshakeRandom } from "../../src/transport/handshake.js";
import { encodeHello, type Hello } from "../../src/transport/hello.js";
import { type AgreementKey, agreementKey } from "../../src/transport/key-agreement.js";
import { PacketReader } from "../../src/transport/packet-reader.js";
import type { FrameSecrets } from "../../src/transport/secrets.js";
import { newIdentity, RSK } from "./options.js";
import { type RawFrame, RawFrames } from "./raw-frames.js";

/** A node of which a test writes every byte after the handshake. */
export class RawNode {
  /** Frames that the other side has sent. */
  readonly received: Frame[] = [];
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
  static async dial(port: number, remoteId: Uint8Array): Promise<RawNode> {
    const key = agreementKey(newIdentity().privateKey);
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    const node = new RawNode(socket, key, new InitiatorHandshake(key, remoteId, newHandshakeRandom()));
    socket.write(node.initiator!.auth);
    await node.until(() => node.frames !== undefined);
    return node;
  }

  /** Answers the handshake of an inbound connection; `beforeAck` may change what is written. */
  static accept(socket: Socket, key: AgreementKey): RawNode {
    return new RawNode(socket, key, undefined);
  }

  /** Ack of an inbound connection, which is written by the test. */
  ack: Uint8Array | undefined;

  get isClosed(): boolean {
    return this.socket.destroyed;
  }

  hello(changes: Partial<Hello> = {}): Uint8Array {
    return encodeHello({
      p2pVersion: 4,
      clientId: "raw",
      capabilities: [RSK],
      listenPort: 0,
      nodeId: this.key.publicKey,
      ...changes,
    });
  }

  frame(frame: RawFrame): Uint8Array {
    return this.frames!.write(frame);
  }

  message(code: number, payload: Uint8Array, headerData?: Uint8Array): Uint8Array {
    const body = Buffer.concat([encodeRlp(numberToBytes(code)), payload]);
    return this.frame(headerData === undefined ? { body } : { body, headerData });
  }

  send(code: number, payload: Uint8Array, headerData?: Uint8Array): void {
    this.socket.write(this.message(code, payload, headerData));
  }

  /** Says Hello and waits for the other side's. */
  async greet(changes: Partial<Hello> = {}): Promise<this> {
    this.send(0, this.hello(changes));
    await this.until(() => this.received.some(({ code }) => code === 0));
    return this;
  }

  codes(): number[] {
    return this.received.map(({ code }) => code);
  }

  /** Waits until `condition` holds; fails after some seconds. */
  async until(condition: () => boolean): Promise<void> {
    await waitUntil(condition);
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
    for (let frame = this.decoder.next(); frame !== undefined; frame = this.decoder.next()) this.received.push(frame);
  }

  private answer(packet: Parameters<typeof answerAuth>[1]): FrameSecrets {
    const { ack, secrets } = answerAuth(this.key, packet, newHandshakeRandom());
    this.ack = ack;
    return secrets;
  }
}

/** Waits until `condition` holds; fails after 5 seconds. */
export async function waitUntil(condition: () => boolean): Promise<void> {
  for (const end = performance.now() + 5000; !condition(); ) {
    if (performance.now() > end) throw new Error(`still waiting for ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
