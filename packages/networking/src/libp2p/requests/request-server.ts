import { type Logger, messageOf, steadyTime, toHex, utf8 } from "@cambium/primitives";
import type { Connection, Libp2p, Stream } from "@libp2p/interface";
import { NetworkingError } from "../../errors.js";
import type { PeerId } from "../../interface.js";
import { PeerRateLimiter } from "../../peers/peer-rate-limiter.js";
import type { ScoringEvent } from "../../scoring/events.js";
import type { Timings } from "../../shared/timings.js";
import type { Session } from "../sessions/session.js";
import type { SessionTable } from "../sessions/session-table.js";
import { protocolId } from "../wire/ids.js";
import type { Responder } from "../wire/protocol.js";
import type { ItemOf, NamedProtocol, ProtocolName, Protocols, RequestOf } from "../wire/protocols.js";
import { FrameReader, frameOf, MAX_TEXT_BYTES, RESULT, type ResultCode, sendFrame } from "./frames.js";

export interface RequestServerParts {
  protocols: Protocols;
  /** Names the network in protocol ids. */
  label: string;
  timings: Timings;
  sessions: SessionTable;
  limiter: PeerRateLimiter<ProtocolName>;
  gasLimit(): bigint;
  report(peer: PeerId, event: ScoringEvent, detail: string): void;
  logger: Logger;
}

/** The responder of each protocol. */
export type AllResponders = { readonly [Name in ProtocolName]: Responder<RequestOf<Name>, ItemOf<Name>> };

/** Requests that are allowed before Status was exchanged. */
const BEFORE_STATUS: ReadonlySet<ProtocolName> = new Set(["status", "goodbye"]);

/** A request, with a key that is equal for equal requests. */
interface Decoded<Request> {
  value: Request;
  key: string;
}

/** Limit of the library, above our own: our limit also scores peers that exceed it by far. */
const LIBRARY_MAX_STREAMS = 128;
/** Number of streams above the limit of a protocol. A few may coincide by chance; many are a flood. */
const EXCESS = { excess: { tokens: 64, window: 10_000 } };

/** Answers requests, each on its own stream, within the limits of `spec/07 §D.4` and `§D.5`. */
export class RequestServer {
  private readonly excess = new PeerRateLimiter(EXCESS, () => performance.now());

  constructor(private readonly parts: RequestServerParts) {}

  async listen(libp2p: Libp2p, responders: AllResponders): Promise<void> {
    const names = Object.keys(this.parts.protocols) as ProtocolName[];
    // The record types each responder by its name, which the compiler cannot follow through the loop.
    await Promise.all(names.map((name) => this.handle(libp2p, name, responders[name] as never)));
  }

  private async handle<Name extends ProtocolName>(
    libp2p: Libp2p,
    name: Name,
    responder: Responder<RequestOf<Name>, ItemOf<Name>>,
  ): Promise<void> {
    const protocol = this.parts.protocols[name] as unknown as NamedProtocol<RequestOf<Name>, ItemOf<Name>>;
    const open = new Map<Connection, number>();
    const handler = async (stream: Stream, connection: Connection) => {
      const others = open.get(connection) ?? 0;
      if (others >= protocol.bounds.inboundStreams) return this.refuseStream(name, stream, connection);
      open.set(connection, others + 1);
      try {
        await this.serve(protocol, responder, stream, connection);
      } catch (error) {
        this.parts.logger.error({ err: error, protocol: name }, "Failed to serve a request");
        stream.abort(new Error("server error"));
      } finally {
        const left = open.get(connection)! - 1;
        if (left === 0) open.delete(connection);
        else open.set(connection, left);
      }
    };
    await libp2p.handle(protocolId(name, this.parts.label), handler, { maxInboundStreams: LIBRARY_MAX_STREAMS });
  }

  private refuseStream(name: ProtocolName, stream: Stream, connection: Connection): void {
    stream.abort(new Error("too many streams"));
    const peer = connection.remotePeer.toString();
    if (!this.excess.take(peer, "excess", 1)) this.parts.report(peer, "REPEATED_MESSAGE", `${name}: too many streams`);
  }

  private async serve<Request, Item>(
    protocol: NamedProtocol<Request, Item>,
    responder: Responder<Request, Item>,
    stream: Stream,
    connection: Connection,
  ): Promise<void> {
    const reader = new FrameReader(stream);
    try {
      const session = this.parts.sessions.get(connection.remotePeer.toString());
      if (session?.connection !== connection || !(await this.mayRequest(protocol.name, session))) {
        stream.abort(new Error("status was not exchanged"));
        return;
      }
      const request = await this.readRequest(protocol, reader, session, stream);
      if (request !== undefined) await new Answer(this.parts, protocol, session, stream).send(request, responder);
    } finally {
      reader.release();
    }
  }

  /** Waits for Status for a while: a request may overtake it (`spec/07 §D.5`). */
  private async mayRequest(name: ProtocolName, session: Session): Promise<boolean> {
    if (BEFORE_STATUS.has(name)) return true;
    const isReady = session.isReady || (await within(session.ready, this.parts.timings.request));
    if (!isReady && session.isOpen) this.parts.report(session.id, "UNEXPECTED_MESSAGE", `${name} before status`);
    return isReady;
  }

  /** Reads a request. Undefined if there is no valid one: the stream was then reset and the peer scored. */
  private async readRequest<Request, Item>(
    protocol: NamedProtocol<Request, Item>,
    reader: FrameReader,
    session: Session,
    stream: Stream,
  ): Promise<Decoded<Request> | undefined> {
    const { request: limit } = this.parts.timings;
    const endsAt = steadyTime() + limit;
    const first = await reader.read(protocol.bounds.requestBytes, { firstByte: limit, whole: limit });
    if (first.kind !== "frame") {
      if (first.kind === "oversized") this.report(session, protocol, "UNREADABLE_MESSAGE", "it is too long");
      stream.abort(new Error(`request: ${first.kind}`));
      return undefined;
    }
    const rest = Math.max(1, endsAt - steadyTime());
    const second = await reader.read(0, { firstByte: rest, whole: rest });
    if (second.kind !== "end") {
      if (second.kind !== "timeout" && second.kind !== "reset") {
        this.report(session, protocol, "UNEXPECTED_MESSAGE", "bytes follow it");
      }
      stream.abort(new Error(`after the request: ${second.kind}`));
      return undefined;
    }
    return this.decode(protocol, first.bytes, session, stream);
  }

  private decode<Request, Item>(
    protocol: NamedProtocol<Request, Item>,
    bytes: Uint8Array,
    session: Session,
    stream: Stream,
  ): Decoded<Request> | undefined {
    try {
      return { value: protocol.decodeRequest(bytes), key: `${protocol.name} ${toHex(bytes)}` };
    } catch (error) {
      if (!(error instanceof NetworkingError)) throw error;
      this.report(session, protocol, "UNREADABLE_MESSAGE", error.message);
      stream.abort(error);
      return undefined;
    }
  }

  private report<R, I>(session: Session, protocol: NamedProtocol<R, I>, event: ScoringEvent, detail: string): void {
    this.parts.report(session.id, event, `request of ${protocol.name}: ${detail}`);
  }
}

/** The answer to one request. */
class Answer<Request, Item> {
  private readonly endsAt: number;
  private frames = 0;

  constructor(
    private readonly parts: RequestServerParts,
    private readonly protocol: NamedProtocol<Request, Item>,
    private readonly session: Session,
    private readonly stream: Stream,
  ) {
    this.endsAt = steadyTime() + parts.timings.answer;
  }

  async send({ value, key }: Decoded<Request>, responder: Responder<Request, Item>): Promise<void> {
    const { answering } = this.session;
    if (answering.get(key)?.status === "open") {
      this.parts.report(this.session.id, "REPEATED_MESSAGE", `${this.protocol.name}: the same request again`);
      await this.refuse(RESULT.rateLimited, "the same request is being answered");
      return this.close();
    }
    answering.set(key, this.stream);
    try {
      await this.answer(value, responder);
    } finally {
      if (answering.get(key) === this.stream) answering.delete(key);
    }
  }

  private async answer(request: Request, responder: Responder<Request, Item>): Promise<void> {
    const { limiter, report } = this.parts;
    const { name } = this.protocol;
    const items = this.protocol.items(request);
    if (!limiter.take(this.session.id, name, items)) {
      // A peer is not scored when all peers together exceed the limit.
      const isOwnFault = limiter.isOver(this.session.id, name, items);
      if (isOwnFault) report(this.session.id, "REPEATED_MESSAGE", `${name}: too many requests`);
      await this.refuse(RESULT.rateLimited, "too many requests");
    } else {
      await this.sendAll(request, responder, this.protocol.bounds.frames(items));
    }
    await this.close();
  }

  private async sendAll(request: Request, responder: Responder<Request, Item>, maxFrames: number): Promise<void> {
    let bytesLeft = this.protocol.bounds.totalBytes(this.parts.gasLimit());
    try {
      for await (const item of responder(request, this.session.id)) {
        if (this.frames === maxFrames) break;
        const payload = item.kind === "data" ? this.protocol.encodeItem(item.item) : utf8("not available");
        if ((bytesLeft -= payload.length) < 0) break;
        const isSent = await this.sendResult(item.kind === "data" ? RESULT.data : RESULT.notAvailable, payload);
        if (!isSent) return this.stream.abort(new Error("too slow"));
      }
    } catch (error) {
      return this.fail(error);
    }
    if (this.frames === 0 && maxFrames > 0) await this.refuse(RESULT.notAvailable, "not available");
  }

  private async fail(error: unknown): Promise<void> {
    if (error instanceof NetworkingError && error.code === "INVALID_REQUEST") {
      await this.refuse(RESULT.invalidRequest, error.message);
      return;
    }
    this.parts.logger.error({ err: error, protocol: this.protocol.name }, "Failed to answer a request");
    await this.refuse(RESULT.serverError, "server error");
  }

  private async refuse(code: ResultCode, text: string): Promise<void> {
    const bytes = utf8(text);
    if (!(await this.sendResult(code, bytes.length > MAX_TEXT_BYTES ? utf8("see log") : bytes))) {
      this.stream.abort(new Error("too slow"));
    }
  }

  private async sendResult(code: ResultCode, payload: Uint8Array): Promise<boolean> {
    const frame = frameOf(Uint8Array.of(code), payload);
    const wait = this.session.outboundBytes.take(frame.byteLength);
    if (steadyTime() + wait >= this.endsAt) return false;
    if (wait > 0) await delay(wait);
    const rest = Math.max(1, this.endsAt - steadyTime());
    this.frames++;
    return sendFrame(this.stream, frame, Math.min(this.parts.timings.drain, rest));
  }

  private async close(): Promise<void> {
    try {
      await this.stream.close({ signal: AbortSignal.timeout(this.parts.timings.drain) });
    } catch (error) {
      this.parts.logger.debug({ peer: this.session.id, reason: messageOf(error) }, "Peer did not read an answer");
      this.stream.abort(new Error("too slow"));
    }
  }
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Returns the value of the promise, or false if it takes longer. */
async function within(promise: Promise<boolean>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
