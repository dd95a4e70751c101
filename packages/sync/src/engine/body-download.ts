import type { NetworkConfig } from "@cambium/config";
import {
  assembleBlock,
  type BlockBody,
  checkBody,
  NetworkingError,
  type Peer,
  type PeerId,
  type PeerNetwork,
} from "@cambium/networking";
import { CambiumError, type Clock, equalBytes } from "@cambium/primitives";
import type { BlockHeader } from "@cambium/types";
import { SyncError } from "../errors.js";
import { boundedItems } from "../shared/bounded.js";
import { Wakeup } from "../shared/wakeup.js";
import type { VerifiedHeaders } from "./header-download.js";
import { impliedBody } from "./implied-body.js";
import type { PeerCoordinator } from "./peer-coordinator.js";

/** Number of blocks by which the window moves before it is searched again. */
const WINDOW_STEP = 16;
/** Maximum distance of bodies ahead of the import. */
export interface WindowLimits {
  /** Number of blocks. */
  blocks: number;
  /** Size of downloaded and expected blocks, in bytes. */
  bytes: number;
}

/** Default limits (`spec/07 §D.7`, 5). */
export const WINDOW_LIMITS: WindowLimits = { blocks: 1024, bytes: 64 * 1024 * 1024 };
/** Time limits of an answer in milliseconds, a little above those of the network (`spec/07 §D.5`). */
const ANSWER_LIMITS = { firstItem: 11_000, betweenItems: 6_000, whole: 31_000 };
/** Milliseconds without progress after which another peer gets the request too: half the time limits. */
const STALL_FIRST_ITEM = 5_000;
const STALL_BETWEEN_ITEMS = 2_500;
/** Milliseconds after which another peer gets the request for the block that the import waits for. */
const STALL_HEAD = 1_500;
/** Maximum number of peers that get a request for the same body. */
const MAX_ASKERS = 3;
/** Interval of the check for stalls, in milliseconds. */
const TICK = 200;
/** Milliseconds after which a body is requested again from a peer that did not have it. */
const LACKS_KEPT = 3_000;
/** Assumed size before the first body, in bytes. */
const EXPECTED_BODY = 4096;

export interface BodyDownloadParts {
  network: Pick<PeerNetwork, "bodies">;
  chainNetwork: NetworkConfig;
  coordinator: PeerCoordinator;
  clock: Clock;
  /** Also notified by the coordinator when a peer can take a request. */
  changed: Wakeup;
  window: WindowLimits;
  /** Called with the sender of each body. */
  onDelivery: (from: PeerId) => void;
}

/** A block that is ready for import. */
export interface DownloadedBlock {
  header: BlockHeader;
  /** RLP of the block, whose lists were checked against the header. */
  encoded: Uint8Array;
  sources: readonly PeerId[];
}

/** A verified header and the state of its body. */
interface Slot {
  readonly header: BlockHeader;
  readonly sources: readonly PeerId[];
  readonly askers: Set<Answer>;
  /** Peers that answered that they lack the body. */
  readonly lackedBy: Set<PeerId>;
  block: DownloadedBlock | undefined;
}

/** A request in progress. */
interface Answer {
  readonly peer: PeerId;
  readonly beganAt: number;
  /** Time at which the last body arrived. */
  progressAt: number;
  bodies: number;
}

/**
 * Downloads bodies of verified headers from many peers concurrently, and returns blocks in the order of the headers.
 */
export class BodyDownload {
  /** Slots in ascending order without gaps; the first is the next to be returned. */
  private slots: Slot[] = [];
  private readonly running = new Set<Promise<void>>();
  private isComplete = false;
  /** Size of blocks that were not released, in bytes. */
  private heldBytes = 0;
  /** Number of slots with requests and without a block. */
  private expected = 0;
  private averageBody = EXPECTED_BODY;
  private isImportWaiting = false;
  private returned = 0;
  private lacksForgottenAt = 0;
  /** Notified when the next block may be ready. */
  private readonly ready: Wakeup;

  constructor(private readonly parts: BodyDownloadParts) {
    this.ready = new Wakeup(parts.clock);
  }

  /** Number of headers whose blocks were not returned. */
  get size(): number {
    return this.slots.length;
  }

  get bytes(): number {
    return this.heldBytes;
  }

  add({ headers, sources }: VerifiedHeaders): void {
    for (const header of headers) {
      const block = this.impliedBlock(header, sources);
      this.heldBytes += block?.encoded.length ?? 0;
      this.slots.push({ header, sources, askers: new Set(), lackedBy: new Set(), block });
    }
    this.ready.notify();
    this.parts.changed.notify();
  }

  /** Returns the block of a header that implies its body. */
  private impliedBlock(header: BlockHeader, sources: readonly PeerId[]): DownloadedBlock | undefined {
    const body = impliedBody(header, this.parts.chainNetwork);
    return body === undefined ? undefined : { header, encoded: assembleBlock(header, body), sources };
  }

  /** Declares that no headers follow. */
  complete(): void {
    this.isComplete = true;
    this.ready.notify();
    this.parts.changed.notify();
  }

  /** Returns the next block, or undefined after the last one. Rejects when the signal aborts. */
  async next(signal: AbortSignal): Promise<DownloadedBlock | undefined> {
    for (;;) {
      signal.throwIfAborted();
      const block = this.slots[0]?.block;
      if (block !== undefined) {
        this.slots.shift();
        // Searching the window after every block would cost more than it gains.
        if (++this.returned % WINDOW_STEP === 0 || this.slots.length === 0) this.parts.changed.notify();
        return block;
      }
      if (this.isComplete && this.slots.length === 0) return undefined;
      this.isImportWaiting = true;
      await this.ready.wait(TICK, signal);
      this.isImportWaiting = false;
    }
  }

  /** Frees the memory of a returned block. */
  release({ encoded }: DownloadedBlock): void {
    this.heldBytes -= encoded.length;
  }

  /** Sends requests until all headers have their blocks; ends when all requests have ended. */
  async run(signal: AbortSignal): Promise<void> {
    const ending = new AbortController();
    const scope = AbortSignal.any([signal, ending.signal]);
    try {
      while (!(this.isComplete && this.slots.length === 0)) {
        signal.throwIfAborted();
        this.forgetLacks();
        this.startRequests(scope);
        this.checkServed();
        await this.parts.changed.wait(TICK, signal);
      }
    } catch (error) {
      ending.abort(error);
      throw error;
    } finally {
      await Promise.all(this.running);
    }
  }

  private startRequests(signal: AbortSignal): void {
    if (this.slots.length === 0) return;
    const { coordinator } = this.parts;
    const free = coordinator
      .peers()
      .map((peer) => ({
        peer,
        room: coordinator.roomForBodies(peer.id),
        speed: coordinator.throughput(peer.id).bodiesPerSecond,
      }))
      .filter(({ room }) => room > 0)
      .sort((a, b) => b.speed - a.speed);
    for (const { peer } of free) {
      for (let room = coordinator.roomForBodies(peer.id); room > 0; room = coordinator.roomForBodies(peer.id)) {
        const slots = this.take(peer, room);
        if (slots.length === 0) break;
        this.start(peer.id, slots, signal);
      }
    }
  }

  /** Takes the lowest slots to request from this peer. */
  private take(peer: Peer, room: number): Slot[] {
    const taken: Slot[] = [];
    const end = Math.min(this.slots.length, this.parts.window.blocks);
    const budget = this.parts.window.bytes - this.heldBytes - this.expected * this.averageBody;
    for (let i = 0; i < end && taken.length < room; i++) {
      const slot = this.slots[i]!;
      if (!this.isOpenFor(slot, peer, i === 0)) continue;
      // The next block is requested despite the limit: importing it frees memory.
      if (i > 0 && (taken.length + 1) * this.averageBody > budget) break;
      taken.push(slot);
    }
    return taken;
  }

  /** Throws if no usable peer may have the next body. */
  private checkServed(): void {
    const head = this.slots[0];
    if (head === undefined || head.block !== undefined || head.askers.size > 0) return;
    if (this.parts.coordinator.peers().some((peer) => isServedBy(head, peer))) return;
    throw new SyncError({ code: "BODIES_UNAVAILABLE", number: head.header.number });
  }

  private isOpenFor(slot: Slot, { id, status }: Peer, isHead: boolean): boolean {
    if (slot.block !== undefined || slot.lackedBy.has(id)) return false;
    if (!isServedBy(slot, { id, status })) return false;
    if (slot.askers.size === 0) return true;
    if (slot.askers.size >= MAX_ASKERS) return false;
    for (const answer of slot.askers) if (answer.peer === id || !this.isStalled(answer, isHead)) return false;
    return true;
  }

  private isStalled({ beganAt, progressAt, bodies }: Answer, isHead: boolean): boolean {
    const now = this.parts.clock.now();
    const stall = bodies === 0 ? STALL_FIRST_ITEM : STALL_BETWEEN_ITEMS;
    if (isHead && this.isImportWaiting && now - progressAt > STALL_HEAD) return true;
    return now - progressAt > stall || now - beganAt > ANSWER_LIMITS.whole / 2;
  }

  private start(id: PeerId, slots: readonly Slot[], signal: AbortSignal): void {
    const now = this.parts.clock.now();
    const answer: Answer = { peer: id, beganAt: now, progressAt: now, bodies: 0 };
    for (const slot of slots) {
      if (slot.askers.size === 0) this.expected++;
      slot.askers.add(answer);
    }
    const request = this.parts.coordinator.begin(id, "bodies", slots.length);
    const reading = this.read(answer, slots, signal)
      .then(
        () => undefined,
        (error: unknown) => error ?? new SyncError({ code: "STOPPED" }),
      )
      .then((error) => {
        this.settle(answer, slots, error);
        request.finish(signal.aborted ? undefined : error);
        this.running.delete(reading);
      });
    this.running.add(reading);
  }

  /**
   * Reads an answer. Rejects with the error of the network, or {@link SyncError} `BODY` after the peer was reported.
   */
  private async read(answer: Answer, slots: readonly Slot[], signal: AbortSignal): Promise<void> {
    const { network, clock, coordinator } = this.parts;
    const hashes = slots.map(({ header }) => header.hash);
    const open = (inner: AbortSignal) => network.bodies(answer.peer, hashes, inner);
    let position = 0;
    for await (const body of boundedItems(open, ANSWER_LIMITS, { clock, signal, what: "bodies" })) {
      const slot = slots[position++];
      answer.progressAt = clock.now();
      try {
        this.accept(answer, slot, body);
      } catch (error) {
        if (!(error instanceof CambiumError)) throw error;
        coordinator.exclude(answer.peer, "INVALID_MESSAGE", `body: ${error.message}`);
        throw error;
      }
    }
    if (answer.bodies === 0) {
      for (const slot of slots) slot.lackedBy.add(answer.peer);
      if (position === 0) coordinator.pause(answer.peer);
    }
  }

  private accept(answer: Answer, slot: Slot | undefined, body: BlockBody | undefined): void {
    if (slot === undefined) throw new SyncError({ code: "BODY", reason: "it was not requested" });
    slot.askers.delete(answer);
    if (slot.block === undefined && slot.askers.size === 0) this.expected--;
    if (body === undefined) {
      slot.lackedBy.add(answer.peer);
      return;
    }
    const { header, sources } = slot;
    if (!equalBytes(body.hash, header.hash)) throw new SyncError({ code: "BODY", reason: "it is of another block" });
    answer.bodies++;
    if (slot.block !== undefined) return;
    const complete = checkBody(header, body, this.parts.chainNetwork);
    const encoded = assembleBlock(complete, body);
    // Slower answers can then deliver nothing.
    if (slot.askers.size > 0) this.expected--;
    slot.block = { header: complete, encoded, sources };
    this.heldBytes += encoded.length;
    this.averageBody += (encoded.length - this.averageBody) / 32;
    this.parts.onDelivery(answer.peer);
    if (slot === this.slots[0]) this.ready.notify();
  }

  /** Frees the slots that an answer left open, for other peers. */
  private settle(answer: Answer, slots: readonly Slot[], error: unknown): void {
    const { coordinator, clock } = this.parts;
    const isLacking = error instanceof NetworkingError && error.code === "NOT_AVAILABLE";
    coordinator.throughput(answer.peer).measured(answer.bodies, clock.now() - answer.beganAt);
    for (const slot of slots) {
      if (!slot.askers.delete(answer)) continue;
      if (isLacking) slot.lackedBy.add(answer.peer);
      if (slot.block === undefined && slot.askers.size === 0) this.expected--;
    }
  }

  /** Allows new requests to peers that lacked a body while the import waits for it: they may now have it. */
  private forgetLacks(): void {
    const now = this.parts.clock.now();
    if (!this.isImportWaiting || now - this.lacksForgottenAt < LACKS_KEPT) return;
    this.lacksForgottenAt = now;
    for (const slot of this.slots.slice(0, this.parts.window.blocks)) slot.lackedBy.clear();
  }
}

/** Whether a peer has the body, according to its claims. */
function isServedBy({ header, sources }: Slot, { id, status }: Pick<Peer, "id" | "status">): boolean {
  return status.earliestBody <= header.number && (status.bestNumber >= header.number || sources.includes(id));
}
