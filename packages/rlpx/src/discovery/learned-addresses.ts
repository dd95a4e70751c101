import { equalBytes, LruCache, parseIp } from "@cambium/primitives";
import { FairBudget, type Origin } from "./fair-budget.js";
import type { Neighbor } from "./packets.js";
import { addressKey, type UdpAddress } from "./udp-address.js";

/** Nodes in an answer (`spec/07 §A.4`); further ones are ignored. */
export const MAX_NEIGHBORS = 20;
const HOUR_SECONDS = 3600;
/**
 * New addresses from one source and from all: a burst, and as many in an hour (`spec/07 §D.10`: poisoned exchange). A
 * subnet that has named more than its part comes last.
 */
export const NEW_ADDRESSES = { perSource: 50, perSubnet: 100, total: 500 };
/** Lower ports belong to other services, which should not get our pings. */
const MIN_PORT = 1024;
const MAX_PORT = 0xffff;
/** Addresses that are remembered, and milliseconds until one of them is tried again if a node names it again. */
const TRIED = 4096;
export const RETRY_AFTER = 600_000;

export interface LearnedAddressesParts {
  ownId: Uint8Array;
  /** Whether a node may be contacted there. */
  isWanted(ip: string, nodeId: Uint8Array): boolean;
  isKnown(address: UdpAddress): boolean;
  /** Milliseconds. */
  now(): number;
}

/**
 * Chooses which addresses that nodes name of others are pinged. Nothing else is done with them, and no more than a few:
 * a lying node must neither fill the table nor direct our pings at a victim.
 */
export class LearnedAddresses {
  private readonly budget: FairBudget;
  private readonly tried = new LruCache<string, number>(TRIED);

  constructor(private readonly parts: LearnedAddressesParts) {
    const rate = (count: number) => ({ burst: count, perSecond: count / HOUR_SECONDS });
    const { perSource, perSubnet, total } = NEW_ADDRESSES;
    const rates = { perSource: rate(perSource), perSubnet: rate(perSubnet), total: rate(total) };
    this.budget = new FairBudget(rates, parts.now);
  }

  /** Those of `nodes`, named by `source`, that are to be pinged now. */
  choose(source: Origin, nodes: readonly Neighbor[]): UdpAddress[] {
    const chosen: UdpAddress[] = [];
    for (const node of nodes.slice(0, MAX_NEIGHBORS)) {
      const address = this.usableAddress(node);
      if (address === undefined || this.wasTried(address)) continue;
      if (!this.budget.take(source)) break;
      this.tried.set(addressKey(address), this.parts.now());
      chosen.push(address);
    }
    return chosen;
  }

  /** Names are not resolved: strangers must not choose what we ask DNS servers. */
  private usableAddress({ host, udpPort, nodeId }: Neighbor): UdpAddress | undefined {
    const ip = parseIp(host)?.text;
    if (ip === undefined || udpPort < MIN_PORT || udpPort > MAX_PORT || equalBytes(nodeId, this.parts.ownId))
      return undefined;
    const address = { ip, udpPort };
    return this.parts.isWanted(ip, nodeId) && !this.parts.isKnown(address) ? address : undefined;
  }

  private wasTried(address: UdpAddress): boolean {
    const at = this.tried.get(addressKey(address));
    return at !== undefined && this.parts.now() < at + RETRY_AFTER;
  }
}
