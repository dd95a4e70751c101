import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { NetworkConfig } from "@cambium/config";
import { concatBytes, EMPTY_BYTES, encodeRlp, equalBytes, numberToBytes, toHex } from "@cambium/primitives";
import { decodeMessage, encodeMessage, FrameDecoder, type RskMessage } from "@cambium/rlpx";
import type { Frame } from "@cambium/rlpx/testing";
import { RawFrames } from "./raw-frames.js";
import { waitUntil } from "./raw-rlpx-peer.js";
import { type Answer, isAnswerTo, isQuestion, type Question, RecordedContent } from "./recorded-content.js";
import type { Conversation, RecordedMessage } from "./recorded-conversations.js";

const HELLO = 0x00;
const DISCONNECT = 0x01;
const PING = 0x02;
const PONG = 0x03;
const EMPTY_LIST = Uint8Array.of(0xc0);
const PATIENCE = 20_000;

export interface RecordedPeerOptions {
  /** Answers questions that were not recorded; undefined is silence. */
  otherwise?(question: Question): Answer | undefined;
  /**
   * Called where the recorder sent a message without a request. If it resolves with true, the node must send the same
   * one.
   */
  act?(message: RskMessage): Promise<boolean>;
  /** Awaited before the deployed client sends a message without a request. */
  before?(message: RskMessage): Promise<unknown>;
  network?: NetworkConfig;
}

/**
 * The deployed client's side of a recorded connection. A node replaces the recorder, with the recorder's keys and
 * random bytes. Handshake and frames equal the recording as long as the node's do; the node's answers must be the
 * recorded ones.
 */
export class RecordedPeer {
  /** Frames of the node. */
  readonly received: Frame[] = [];
  /** Questions of the node that were not answered. */
  readonly unanswered: Question[] = [];
  private readonly content: RecordedContent;
  private readonly frames: RawFrames;
  private readonly decoder: FrameDecoder;
  private socket: Socket | undefined;
  private bytes: Uint8Array = EMPTY_BYTES;
  private isHandshakeOver = false;
  private failure: Error | undefined;

  private constructor(
    private readonly conversation: Conversation,
    private readonly options: RecordedPeerOptions,
    private readonly server: Server | undefined,
  ) {
    const secrets = conversation.peerSecrets();
    this.frames = new RawFrames(secrets);
    this.decoder = new FrameDecoder(secrets);
    this.content = new RecordedContent(conversation.messages, options.network);
  }

  /** Waits for the node to dial {@link RecordedPeer.address}. */
  static async listen(conversation: Conversation, options: RecordedPeerOptions = {}): Promise<RecordedPeer> {
    const server = createServer();
    const peer = new RecordedPeer(conversation, options, server);
    server.on("connection", (socket) => peer.open(socket));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return peer;
  }

  /** Dials a node on this machine. */
  static async dial(
    conversation: Conversation,
    port: number,
    options: RecordedPeerOptions = {},
  ): Promise<RecordedPeer> {
    const peer = new RecordedPeer(conversation, options, undefined);
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    peer.open(socket);
    socket.write(conversation.auth);
    return peer;
  }

  /** Enode URL of the peer. */
  get address(): string {
    const { port } = this.server!.address() as { port: number };
    return `enode://${this.conversation.peerId}@127.0.0.1:${port}`;
  }

  get isClosed(): boolean {
    return this.socket?.destroyed === true;
  }

  /** Number of connections that the node opened; it may open only one. */
  connections = 0;

  /**
   * Sends the messages that the deployed client sent without a request, in order. Each waits until the node has sent
   * everything that the recorder had sent before. Resolves at the end of the recording, and rejects if the node sent
   * something else.
   */
  async play(): Promise<void> {
    await this.until(() => this.isHandshakeOver, "the handshake");
    for (const recorded of this.ordered()) {
      if (recorded.isOurs) await this.expect(recorded);
      else if (this.isScripted(recorded)) await this.perform(recorded);
    }
    if (this.conversation.isClosedByPeer) this.socket!.end();
  }

  stop(): void {
    this.server?.close();
    this.socket?.destroy();
  }

  /**
   * Returns the messages in an order in which the dialling side sends Hello without waiting; the recorder did not
   * always await it.
   */
  private ordered(): readonly RecordedMessage[] {
    const { messages, isDialled } = this.conversation;
    if (!isDialled) return messages;
    const hello = messages.find(({ isOurs, code }) => !isOurs && code === HELLO)!;
    return [hello, ...messages.filter((message) => message !== hello)];
  }

  /** Messages of the capability that the node has sent. */
  messages(): RskMessage[] {
    return this.received.filter(({ code }) => code > PONG).map(({ code, payload }) => decodeMessage(code, payload));
  }

  private open(socket: Socket): void {
    this.connections++;
    if (this.connections > 1) {
      socket.destroy();
      return;
    }
    this.socket = socket;
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => this.read(chunk));
  }

  private read(chunk: Uint8Array): void {
    if (!this.isHandshakeOver) {
      this.bytes = concatBytes(this.bytes, chunk);
      this.readHandshake();
      return;
    }
    this.readFrames(chunk);
  }

  private readHandshake(): void {
    const { auth, ack, isDialled } = this.conversation;
    const expected = isDialled ? ack : auth;
    if (this.bytes.length < expected.length) return;
    const packet = this.bytes.subarray(0, expected.length);
    if (!equalBytes(packet, expected)) this.failure = new Error(`another ${isDialled ? "ack" : "auth"} than recorded`);
    this.isHandshakeOver = true;
    if (!isDialled) this.socket!.write(ack);
    this.readFrames(this.bytes.subarray(expected.length));
  }

  private readFrames(chunk: Uint8Array): void {
    this.decoder.push(chunk);
    for (let frame = this.decoder.next(); frame !== undefined; frame = this.decoder.next()) {
      this.received.push(frame);
      this.react(frame);
    }
  }

  private react({ code, payload }: Frame): void {
    if (code === PING) this.write(PONG, EMPTY_LIST);
    if (code <= PONG) return;
    const message = decodeMessage(code, payload);
    if (!isQuestion(message)) return;
    const answer = this.content.answerTo(message) ?? this.options.otherwise?.(message);
    if (answer === undefined) this.unanswered.push(message);
    else this.send(answer);
  }

  private send(message: RskMessage): void {
    const { code, payload } = encodeMessage(message);
    this.write(code, payload);
  }

  private async perform({ code, payload, headerData, message }: RecordedMessage): Promise<void> {
    if (message !== undefined) await this.options.before?.(message);
    this.write(code, payload, headerData);
  }

  private write(code: number, payload: Uint8Array, headerData?: Uint8Array): void {
    const body = concatBytes(encodeRlp(numberToBytes(code)), payload);
    this.socket!.write(this.frames.write(headerData === undefined ? { body } : { body, headerData }));
  }

  /** Whether the deployed client sent the message without a request; pings are left to the node. */
  private isScripted({ code, message }: RecordedMessage): boolean {
    if (code === PING || code === PONG) return false;
    return message === undefined || !(message.type.endsWith("Response") || this.content.hasAnswer(message));
  }

  /** Waits for the message that the node must have sent at this point of the recording. */
  private async expect(recorded: RecordedMessage): Promise<void> {
    const { code, payload, message } = recorded;
    if (code === HELLO) {
      await this.until(() => this.received.some((frame) => frame.code === HELLO), "Hello");
      return;
    }
    if (message === undefined || isQuestion(message) || code === DISCONNECT) return;
    if (!this.isAnswer(recorded) && (await this.options.act?.(message)) !== true) return;
    await this.until(
      () => this.received.some((frame) => frame.code === code && equalBytes(frame.payload, payload)),
      `${message.type} ${toHex(payload.subarray(0, 64))}`,
    );
  }

  /** Whether the recorder answered a question of the deployed client with the message. */
  private isAnswer({ message }: RecordedMessage): boolean {
    const questions = this.conversation.messages.filter(({ isOurs }) => !isOurs);
    return questions.some(({ message: question }) => {
      return question !== undefined && isQuestion(question) && isAnswerTo(message!, question);
    });
  }

  private async until(condition: () => boolean, what: string): Promise<void> {
    try {
      await waitUntil(() => this.failure !== undefined || condition(), PATIENCE);
    } catch {
      throw new Error(`the node did not send ${what}`);
    }
    if (this.failure !== undefined) throw this.failure;
  }
}
