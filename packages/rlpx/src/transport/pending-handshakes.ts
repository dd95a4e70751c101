import { hostOfIp, subnetOfIp } from "@cambium/primitives";

export interface PendingLimits {
  maximum: number;
  /** Maximum number for an IPv4 address or the /64 of an IPv6 address. */
  perHost: number;
}

/** An inbound connection whose peer is not known yet. */
export interface PendingHandshake {
  readonly host: string;
  readonly subnet: string;
  /** Closes the connection. */
  end(): void;
}

/**
 * Handshakes in progress. A new one never waits for others. Above a limit it replaces the oldest one of the subnet that
 * has most, and in the subnet, of the host that has most. All hosts thus have an equal share, and silent connections
 * make room first.
 */
export class PendingHandshakes {
  /** The oldest first. */
  private readonly pending = new Set<PendingHandshake>();

  constructor(private readonly limits: PendingLimits) {}

  get size(): number {
    return this.pending.size;
  }

  /** `end` is called if the handshake has to make room for a later one. */
  add(ip: string, end: () => void): PendingHandshake {
    const handshake = { host: hostOfIp(ip), subnet: subnetOfIp(ip), end };
    this.pending.add(handshake);
    const ofHost = [...this.pending].filter(({ host }) => host === handshake.host);
    if (ofHost.length > this.limits.perHost) this.evict(ofHost[0]!);
    if (this.size > this.limits.maximum) this.evict(this.first());
    return handshake;
  }

  /**
   * Ends a handshake to make room for a new one of `ip`. Returns false if no subnet or host has more than those of
   * `ip`.
   */
  makeRoomFor(ip: string): boolean {
    const added = { host: hostOfIp(ip), subnet: subnetOfIp(ip), end: () => {} };
    this.pending.add(added);
    const first = this.first();
    this.pending.delete(added);
    const isOwn = (by: "host" | "subnet") => this.count(by, first[by]) <= this.count(by, added[by]) + 1;
    if (first.subnet === added.subnet ? isOwn("host") : isOwn("subnet")) return false;
    this.evict(first);
    return true;
  }

  /** Removes a handshake; call it when the handshake has ended. Returns false if it was ended to make room. */
  remove(handshake: PendingHandshake): boolean {
    return this.pending.delete(handshake);
  }

  /** Returns the oldest handshake of the largest subnet's largest host. */
  private first(): PendingHandshake {
    return largest(largest([...this.pending], "subnet"), "host")[0]!;
  }

  private count(by: "host" | "subnet", key: string): number {
    return [...this.pending].filter((handshake) => handshake[by] === key).length;
  }

  private evict(handshake: PendingHandshake): void {
    this.pending.delete(handshake);
    handshake.end();
  }
}

/** Returns the largest group; of equal groups, the one with the oldest handshake. */
function largest(handshakes: readonly PendingHandshake[], by: "host" | "subnet"): PendingHandshake[] {
  const groups = new Map<string, PendingHandshake[]>();
  for (const handshake of handshakes) {
    const group = groups.get(handshake[by]);
    if (group === undefined) groups.set(handshake[by], [handshake]);
    else group.push(handshake);
  }
  return [...groups.values()].reduce((most, group) => (group.length > most.length ? group : most));
}
