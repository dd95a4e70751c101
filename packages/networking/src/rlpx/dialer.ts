import { type Clock, type Logger, subnetOfIp } from "@cambium/primitives";
import type { PeerId } from "../interface.js";
import type { PeerLimits } from "../options.js";
import type { DialSchedule } from "../peers/dial-schedule.js";
import { type EclipseWatch, peerToReplace } from "../peers/eclipse-watch.js";
import type { DialTarget } from "../shared/dial-target.js";
import type { RlpxGate } from "./gate.js";
import type { RlpxPeer } from "./peer.js";
import type { RlpxPeerTable } from "./peer-table.js";

export interface DialerParts {
  peers: RlpxPeerTable;
  gate: RlpxGate;
  limits: PeerLimits;
  /** Nodes to stay connected to. */
  fixed: Iterable<DialTarget>;
  /** Nodes that discovery has found. */
  discovered(): readonly DialTarget[];
  /** Boot nodes that have answered. */
  bootNodes(): readonly DialTarget[];
  eclipse: EclipseWatch;
  /** Ends a connection because another peer needs its place. */
  disconnect(peer: RlpxPeer): void;
  dialSchedule: DialSchedule;
  /** Connects; rejects if that fails. */
  dial(target: DialTarget): Promise<unknown>;
  clock: Clock;
  /** Milliseconds between two rounds. */
  interval: number;
  logger: Logger;
}

const DIALS_AT_ONCE = 8;
/** Maximum number of lost nodes that are dialled again. */
const MAX_RECENT = 256;
/**
 * Milliseconds after which a lost inbound peer is dialled. A deployed node that dialled us and lost the connection does
 * not synchronise from us after dialling again. It dials again after 0.6 s at the earliest (`spec/07 §B.10`, Q16).
 */
const REDIAL_DELAY = 250;

/** Keeps connections to fixed nodes, and to enough discovered ones in different subnets. */
export class Dialer {
  /** Recently connected nodes by peer, the latest last. */
  private readonly recent = new Map<PeerId, DialTarget>();
  private readonly dialling = new Set<PeerId>();
  private cancel: (() => void) | undefined;
  private readonly redials = new Set<() => void>();

  constructor(private readonly parts: DialerParts) {}

  start(): void {
    this.cancel = this.parts.clock.every(this.parts.interval, () => this.round());
    this.round();
  }

  stop(): void {
    this.cancel?.();
    for (const cancel of this.redials) cancel();
    this.redials.clear();
    this.cancel = undefined;
  }

  /** Remembers the listening address of a connected node. */
  remember(target: DialTarget): void {
    this.recent.delete(target.id);
    this.recent.set(target.id, target);
    if (this.recent.size > MAX_RECENT) this.recent.delete(this.recent.keys().next().value!);
  }

  /** Dials a lost inbound peer immediately, before it dials again. */
  redial(id: PeerId): void {
    const target = this.recent.get(id);
    if (target === undefined || this.cancel === undefined) return;
    const cancel = this.parts.clock.after(REDIAL_DELAY, () => {
      this.redials.delete(cancel);
      if (this.isWanted() && this.isDue(target)) void this.dial(target);
    });
    this.redials.add(cancel);
  }

  private round(): void {
    const due = this.targets().filter((target) => this.isDue(target));
    for (const target of due.slice(0, Math.max(0, DIALS_AT_ONCE - this.dialling.size))) void this.dial(target);
  }

  private targets(): DialTarget[] {
    const { fixed, discovered, eclipse } = this.parts;
    if (eclipse.isPossible()) return [...fixed, ...this.bootNodes()];
    if (!this.isWanted()) return [...fixed];
    const others = new Map(discovered().map((target) => [target.id, target]));
    for (const [id, target] of this.recent) if (!others.has(id)) others.set(id, target);
    return [...fixed, ...this.spread([...others.values()])];
  }

  /** Returns boot nodes to dial although there may be enough peers; the first round makes room for one. */
  private bootNodes(): readonly DialTarget[] {
    const { bootNodes, dialSchedule, fixed, peers, limits, disconnect } = this.parts;
    const due = bootNodes().filter(({ id }) => peers.get(id) === undefined && dialSchedule.isDue(id));
    const isFixed = ({ id }: RlpxPeer) => [...fixed].some((target) => target.id === id);
    const replaced =
      due.length > 0
        ? peerToReplace(
            peers.all().filter((peer) => !isFixed(peer)),
            limits,
          )
        : undefined;
    if (replaced !== undefined) disconnect(replaced);
    return due;
  }

  /** Whether more outbound peers are wanted. */
  private isWanted(): boolean {
    const { peers, limits } = this.parts;
    const outbound = peers.all().filter(({ direction }) => direction === "outbound").length;
    return peers.size < limits.target || outbound < limits.minimumOutbound;
  }

  private isDue({ id, host }: DialTarget): boolean {
    return !this.dialling.has(id) && this.parts.dialSchedule.isDue(id) && this.parts.gate.mayDial(id, host);
  }

  /** Puts one node of each subnet without an outbound connection first. */
  private spread(targets: readonly DialTarget[]): DialTarget[] {
    const dialled = this.parts.peers.all().filter(({ direction }) => direction === "outbound");
    const seen = new Set(dialled.map(({ address }) => subnetOfIp(address.ip)));
    const first: DialTarget[] = [];
    const rest: DialTarget[] = [];
    for (const target of targets) {
      const subnet = subnetOfIp(target.host);
      (seen.has(subnet) ? rest : first).push(target);
      seen.add(subnet);
    }
    return [...first, ...rest];
  }

  private async dial(target: DialTarget): Promise<void> {
    const { dialSchedule, dial, logger } = this.parts;
    this.dialling.add(target.id);
    try {
      await dial(target);
    } catch (error) {
      dialSchedule.failed(target.id);
      const { id, host, port } = target;
      logger.debug({ peer: id, host, port, reason: (error as Error).message }, "Failed to dial a deployed node");
    } finally {
      this.dialling.delete(target.id);
    }
  }
}
