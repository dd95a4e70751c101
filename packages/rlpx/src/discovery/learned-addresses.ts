import { equalBytes, LruCache, parseIp } from "@cambium/primitives";
import { FairBudget, type Origin } from "./fair-budget.js";
import type { Neighbor } from "./packets.js";
import { addressKey, type UdpAddress } from "./udp-address.js";

/** Maximum number of nodes in an answer (`spec/07 §A.4`); further ones are ignored. */
export const MAX_NEIGHBORS = 20;
const HOUR_SECONDS = 3600;
/**
 * Maximum number of new addresses from one source, one subnet and all: in a burst, and as many in an hour
 * (`spec/07 §D.10`: poisoned exchange). A subnet that has exceeded its part comes last.
 */
export const NEW_ADDRESSES = { perSource: 50, perSubnet: 100, total: 500 };
/** Lowest port that is pinged: lower ports belong to other services. */
const MIN_PORT = 1024;
const MAX_PORT = 0xffff;
/** Number of remembered addresses, and milliseconds until an address that is named again is tried again. */
const TRIED = 4096;
export const RETRY_AFTER = 600_000;

export interface LearnedAddressesParts {
  ownId: Uint8Array;
  /** Whether a node may be contacted at an address. */
  isWanted(ip: string, nodeId: Uint8Array): boolean;
  isKnown(address: UdpAddress): boolean;
  /** Returns the current time in milliseconds. */
  now(): number;
}

/**
 * Chooses which of the addresses that nodes name for other nodes are pinged. They are used for nothing else, and only a
 * few are chosen. A lying node must neither fill the table nor direct our pings at a victim.
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

  /** Returns the addresses of `nodes`, named by `source`, that should be pinged now. */
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

  /** Returns the address of a literal IP. Names are not resolved: unknown nodes must not choose our DNS queries. */
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
