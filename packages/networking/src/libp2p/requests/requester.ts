import { type Logger, messageOf, pause, steadyTime } from "@cambium/primitives";
import type { Stream } from "@libp2p/interface";
import { NetworkingError } from "../../errors.js";
import type { PeerId } from "../../interface.js";
import type { PeerRateLimiter } from "../../peers/peer-rate-limiter.js";
import type { ScoringEvent } from "../../scoring/events.js";
import type { Timings } from "../../shared/timings.js";
import type { Session } from "../sessions/session.js";
import { protocolId } from "../wire/ids.js";
import type { AnswerItem } from "../wire/protocol.js";
import type { ItemOf, NamedProtocol, ProtocolName, Protocols, RequestOf } from "../wire/protocols.js";
import { type FrameOutcome, FrameReader, frameOf, MAX_TEXT_BYTES, RESULT } from "./frames.js";
import { RequestSlots } from "./request-slots.js";

export interface RequesterParts {
  protocols: Protocols;
  /** Names the network in protocol ids. */
  label: string;
  timings: Timings;
  /** Gas limit of the best block: frame limits grow with it. */
  gasLimit(): bigint;
  /** Keeps our requests a little below the peers' limits. */
  limiter: PeerRateLimiter<ProtocolName>;
  report(peer: PeerId, event: ScoringEvent, detail: string): void;
  logger: Logger;
}

/** Requests about the connection itself, which need no slot. */
const UNLIMITED: ReadonlySet<ProtocolName> = new Set(["status", "goodbye"]);

/** Milliseconds after which a delayed request checks that its peer is still connected. */
const MAX_PAUSE = 1000;

/**
 * Sends requests, each on its own stream, within the limits of `spec/07 §D.4` and `§D.5`. A peer that answers late,
 * wrongly or not at all is scored here, before the error reaches the caller.
 */
export class Requester {
  private readonly slots = new RequestSlots();

  constructor(private readonly parts: RequesterParts) {}

  /** Yields items of the answer as they arrive. Throws {@link NetworkingError}. */
  async *ask<Name extends ProtocolName>(
    name: Name,
    session: Session,
    request: RequestOf<Name>,
    signal?: AbortSignal,
  ): AsyncGenerator<AnswerItem<ItemOf<Name>>, void, void> {
    const protocol = this.parts.protocols[name] as unknown as NamedProtocol<RequestOf<Name>, ItemOf<Name>>;
    // A request that no peer would accept is an error of the caller.
    protocol.decodeRequest(protocol.encodeRequest(request));
    const release = await this.acquire(protocol, session, signal);
    try {
      await this.pace(name, session, protocol.items(request), signal);
      const stream = await this.open(name, session, signal);
      yield* new Exchange(this.parts, protocol, session, stream, request, signal).run();
    } finally {
      release();
    }
  }

  /** Sends a request that has no answer; never rejects. */
  async send<Name extends ProtocolName>(
    name: Name,
    session: Session,
    request: RequestOf<Name>,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const stream = await session.connection.newStream(protocolId(name, this.parts.label), { signal });
      const protocol = this.parts.protocols[name] as unknown as NamedProtocol<RequestOf<Name>, ItemOf<Name>>;
      stream.send(frameOf(protocol.encodeRequest(request)));
      await stream.close({ signal });
    } catch (error) {
      this.parts.logger.debug({ peer: session.id, reason: messageOf(error) }, `Failed to send ${name}`);
    }
  }

  /** Rejects the waiting requests to a peer that disconnected. */
  drop(peer: PeerId): void {
    this.slots.drop(peer);
  }

  private acquire<R, I>(protocol: NamedProtocol<R, I>, session: Session, signal?: AbortSignal): Promise<() => void> {
    if (UNLIMITED.has(protocol.name)) return Promise.resolve(() => undefined);
    return this.slots.acquire(session.id, protocol.name, protocol.bounds.inboundStreams, signal);
  }

  /** Waits until the request fits into the peer's rate limit. */
  private async pace(name: ProtocolName, session: Session, items: number, signal?: AbortSignal): Promise<void> {
    const { limiter } = this.parts;
    if (UNLIMITED.has(name)) return;
    while (!limiter.take(session.id, name, items)) {
      await pause(Math.min(MAX_PAUSE, Math.max(1, limiter.wait(session.id, name, items))), signal);
      if (signal?.aborted) throw new NetworkingError({ code: "ABORTED" });
      if (!session.isOpen) throw new NetworkingError({ code: "DISCONNECTED", peer: session.id });
    }
  }

  private async open(name: ProtocolName, session: Session, signal?: AbortSignal): Promise<Stream> {
    const timeout = AbortSignal.timeout(this.parts.timings.openStream);
    const both = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    try {
      return await session.connection.newStream(protocolId(name, this.parts.label), { signal: both });
    } catch (error) {
      throw this.openFailure(name, session, error, timeout, signal);
    }
  }

  private openFailure(
    protocol: ProtocolName,
    session: Session,
    cause: unknown,
    timeout: AbortSignal,
    signal?: AbortSignal,
  ): NetworkingError {
    if (signal?.aborted) return new NetworkingError({ code: "ABORTED" }, { cause });
    if (!session.isOpen) return new NetworkingError({ code: "DISCONNECTED", peer: session.id }, { cause });
    if (timeout.aborted) {
      this.parts.report(session.id, "TIMEOUT_MESSAGE", `${protocol}: opening a stream timed out`);
      return new NetworkingError({ code: "REQUEST_TIMEOUT", protocol }, { cause });
    }
    if ((cause as Error).name === "UnsupportedProtocolError") {
      return new NetworkingError({ code: "NOT_AVAILABLE", protocol }, { cause });
    }
    return new NetworkingError({ code: "SERVER_ERROR", protocol, reason: messageOf(cause) }, { cause });
  }
}

/** One request and its answer. */
class Exchange<Request, Item> {
  private readonly reader: FrameReader;
  private readonly endsAt: number;

  constructor(
    private readonly parts: RequesterParts,
    private readonly protocol: NamedProtocol<Request, Item>,
    private readonly session: Session,
    private readonly stream: Stream,
    private readonly request: Request,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.reader = new FrameReader(stream);
    this.endsAt = steadyTime() + parts.timings.answer;
  }

  async *run(): AsyncGenerator<AnswerItem<Item>, void, void> {
    try {
      this.send();
      yield* this.items();
    } finally {
      this.reader.release();
      // The call has no effect on a stream that both sides have closed.
      this.stream.abort(new Error("done"));
    }
  }

  private send(): void {
    try {
      this.stream.send(frameOf(this.protocol.encodeRequest(this.request)));
    } catch (error) {
      if (error instanceof NetworkingError) throw error;
      throw this.disconnected();
    }
    this.stream.close({ signal: AbortSignal.timeout(this.parts.timings.request) }).catch(() => undefined);
  }

  private async *items(): AsyncGenerator<AnswerItem<Item>, void, void> {
    const { bounds } = this.protocol;
    const gasLimit = this.parts.gasLimit();
    const most = bounds.frames(this.protocol.items(this.request));
    let bytesLeft = bounds.totalBytes(gasLimit);
    for (let index = 0; ; index++) {
      // Beyond the last allowed frame, only the length of a frame is read.
      const frameBytes = index === most ? 0 : Math.min(bounds.frameBytes(gasLimit), bytesLeft);
      const frame = await this.next(frameBytes + 1, index);
      if (frame === undefined) return;
      if (index === most) throw this.invalid("more items than requested");
      bytesLeft -= frame.length - 1;
      yield this.read(frame, index);
    }
  }

  /** Returns the next frame; undefined at the end of the answer. Throws in all other cases. */
  private async next(maxBytes: number, index: number): Promise<Uint8Array | undefined> {
    const { timings } = this.parts;
    const firstByte = index === 0 ? this.protocol.bounds.firstByteTimeout * timings.firstByteFactor : timings.frame;
    const rest = Math.max(0, this.endsAt - steadyTime());
    const timeouts = { firstByte: Math.min(firstByte, rest), whole: Math.min(timings.frame, rest) };
    const outcome = await this.reader.read(maxBytes, timeouts, this.signal);
    if (outcome.kind === "frame") return outcome.bytes;
    if (outcome.kind === "end") {
      if (index === 0) throw this.session.isOpen ? this.unexpected("no answer") : this.disconnected();
      return undefined;
    }
    throw this.failure(outcome, index);
  }

  private failure({ kind }: Exclude<FrameOutcome, { kind: "frame" | "end" }>, index: number): NetworkingError {
    switch (kind) {
      case "aborted":
        return new NetworkingError({ code: "ABORTED" });
      case "oversized":
        return this.invalid(index > 0 ? "a frame that is too long, or one too many" : "a frame that is too long");
      case "truncated":
        return this.session.isOpen ? this.invalid("the stream ended within a frame") : this.disconnected();
      case "reset":
        return this.session.isOpen ? this.unexpected("the stream was reset") : this.disconnected();
      case "timeout":
        this.report("TIMEOUT_MESSAGE", `frame ${index} did not arrive in time`);
        return new NetworkingError({ code: "REQUEST_TIMEOUT", protocol: this.protocol.name });
    }
  }

  private read(frame: Uint8Array, index: number): AnswerItem<Item> {
    const payload = frame.subarray(1);
    const code = frame[0];
    if (code === RESULT.data) return { kind: "data", item: this.decode(payload, index) };
    if (payload.length > MAX_TEXT_BYTES) throw this.invalid("the text of a refusal is too long");
    if (code === RESULT.notAvailable) return { kind: "not-available" };
    throw this.refusal(code, new TextDecoder().decode(payload));
  }

  private decode(payload: Uint8Array, index: number): Item {
    try {
      return this.protocol.decodeItem(payload, this.request, index);
    } catch (error) {
      if (error instanceof NetworkingError) throw this.invalid(error.message);
      throw error;
    }
  }

  private refusal(code: number | undefined, reason: string): NetworkingError {
    const protocol = this.protocol.name;
    switch (code) {
      case RESULT.invalidRequest:
        this.report("UNEXPECTED_MESSAGE", `it refused a valid request: ${reason}`);
        return new NetworkingError({ code: "INVALID_REQUEST", protocol, reason });
      case RESULT.rateLimited:
        return new NetworkingError({ code: "RATE_LIMITED", protocol });
      case RESULT.serverError:
        return new NetworkingError({ code: "SERVER_ERROR", protocol, reason });
      default:
        return this.invalid(`result code ${code}`);
    }
  }

  private invalid(reason: string): NetworkingError {
    this.report("UNREADABLE_MESSAGE", reason);
    return new NetworkingError({ code: "INVALID_ANSWER", protocol: this.protocol.name, reason });
  }

  private unexpected(reason: string): NetworkingError {
    this.report("UNEXPECTED_MESSAGE", reason);
    return new NetworkingError({ code: "SERVER_ERROR", protocol: this.protocol.name, reason });
  }

  private disconnected(): NetworkingError {
    return new NetworkingError({ code: "DISCONNECTED", peer: this.session.id });
  }

  private report(event: ScoringEvent, detail: string): void {
    this.parts.report(this.session.id, event, `${this.protocol.name}: ${detail}`);
  }
}
