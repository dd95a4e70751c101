import type { PeerId, WireName } from "../interface.js";
import type { PeerLimits } from "../options.js";

/** The connections of one wire, including those being opened. */
export interface WireConnections {
  /** Number of connections, without trusted peers. */
  count(): number;
  has(peer: PeerId): boolean;
}

/** Part of all connections that is kept for each wire. */
const RESERVED = 1 / 4;
/** Share of the target number of connections that each wire seeks, regardless of the other wire. */
const WANTED = 1 / 2;

/**
 * Divides the connection limits between the wires of a node. A wire may use what the others leave free, but not what is
 * reserved for them. No kind of peer can therefore take all places.
 */
export class SharedLimits {
  private readonly wires = new Map<WireName, WireConnections>();

  constructor(
    private readonly limits: PeerLimits,
    private readonly names: readonly WireName[],
  ) {}

  /** Registers a wire, before it connects. */
  register(wire: WireName, connections: WireConnections): void {
    this.wires.set(wire, connections);
  }

  /** Returns the present limits of one wire. */
  of(wire: WireName): PeerLimits {
    const { limits } = this;
    const others = this.names.filter((name) => name !== wire);
    const count = (name: WireName) => this.wires.get(name)?.count() ?? 0;
    const reserve = Math.floor(limits.maximum * RESERVED);
    const taken = () => sum(others.map((name) => Math.max(count(name), reserve)));
    const used = () => sum(others.map(count));
    const share = others.length === 0 ? 1 : WANTED;
    return {
      ...limits,
      get minimumOutbound() {
        return Math.min(limits.minimumOutbound, Math.ceil(this.maximum / 2));
      },
      get maximum() {
        return Math.max(0, limits.maximum - taken());
      },
      get target() {
        return Math.min(this.maximum, Math.max(Math.ceil(limits.target * share), limits.target - used()));
      },
    };
  }

  /** Whether another wire is connected to the peer. */
  isConnectedElsewhere(wire: WireName, peer: PeerId): boolean {
    return this.names.some((name) => name !== wire && this.wires.get(name)?.has(peer) === true);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
