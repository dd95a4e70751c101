import { hostOfIp, subnetOfIp } from "@cambium/primitives";

export interface PendingLimits {
  maximum: number;
  /** For an IPv4 address or the /64 of an IPv6 address. */
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
 * Handshakes in progress. A new one never waits for those of others: beyond a limit it takes the place of the oldest
 * one of the subnet, and in it of the host, that has most. So all have an equal share, and silent connections make room
 * first.
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

  /** Ends a handshake that a new one of `ip` may displace. Returns false if its subnet or host has as many as any. */
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

  /** To be called when a handshake has ended; returns false if it was ended for another one. */
  remove(handshake: PendingHandshake): boolean {
    return this.pending.delete(handshake);
  }

  /** The oldest one of the largest subnet's largest host. */
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

/** Those that most have in common; of equal groups, that with the oldest one. */
function largest(handshakes: readonly PendingHandshake[], by: "host" | "subnet"): PendingHandshake[] {
  const groups = new Map<string, PendingHandshake[]>();
  for (const handshake of handshakes) {
    const group = groups.get(handshake[by]);
    if (group === undefined) groups.set(handshake[by], [handshake]);
    else group.push(handshake);
  }
  return [...groups.values()].reduce((most, group) => (group.length > most.length ? group : most));
}
