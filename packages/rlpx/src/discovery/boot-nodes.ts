import { lookup } from "node:dns/promises";
import { equalBytes, parseIp } from "@cambium/primitives";
import type { BootNode, DiscoveredNode, DiscoveryOptions } from "./interface.js";
import { addressKey, type UdpAddress } from "./udp-address.js";

export interface BootNodesParts {
  options: Pick<DiscoveryOptions, "bootNodes" | "isAllowed" | "resolve" | "logger">;
  /** Pings a node; ignores an answer with another id than expected. */
  ping(to: UdpAddress, tcpPort: number, expectedId: Uint8Array | undefined): void;
  isStopped(): boolean;
}

/** Maximum number of remembered boot node addresses, and of pings to them in flight. */
export const MAX_BOOT_ADDRESSES = 256;
/** Maximum number of addresses per boot node. */
const MAX_ADDRESSES_PER_NAME = 16;

/** The configured nodes at which discovery starts. */
export class BootNodes {
  /**
   * Boot nodes by address: the configured id, and the node that answered. The latest address comes last, since a name
   * may resolve to other addresses each time.
   */
  private readonly boots = new Map<string, { id: Uint8Array | undefined; node?: DiscoveredNode }>();
  private isBusy = false;

  constructor(private readonly parts: BootNodesParts) {}

  /** Returns the boot nodes that have answered. */
  answered(): DiscoveredNode[] {
    return [...this.boots.values()].flatMap(({ node }) => node ?? []);
  }

  noteAnswer(node: DiscoveredNode): void {
    const boot = this.boots.get(addressKey(node));
    if (boot !== undefined && (boot.id === undefined || equalBytes(boot.id, node.id))) boot.node = node;
  }

  /** Pings all; names are resolved again each time. */
  async ping(): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    const { options, isStopped } = this.parts;
    const bootNodes = options.bootNodes.filter(({ udpPort }) => udpPort !== 0);
    let addresses = 0;
    // Names are resolved one by one: a lookup may take long, and occupies a thread that the file system needs too.
    for (const node of bootNodes) addresses += await this.pingOne(node);
    this.isBusy = false;
    if (bootNodes.length > 0 && addresses === 0 && !isStopped()) {
      options.logger.warn({}, "None of the boot nodes' names can be resolved; trying again in a minute");
    }
  }

  /** Pings a boot node. Returns the number of its addresses. */
  private async pingOne({ host, udpPort, tcpPort, id }: BootNode): Promise<number> {
    const { options, ping, isStopped } = this.parts;
    if (isStopped()) return 0;
    const ips = await this.addressesOf(host);
    for (const ip of ips) {
      if (isStopped() || !options.isAllowed(ip, id)) continue;
      const to = { ip, udpPort };
      this.remember(addressKey(to), id);
      ping(to, tcpPort, id);
    }
    return ips.length;
  }

  private remember(address: string, id: Uint8Array | undefined): void {
    const node = this.boots.get(address)?.node;
    this.boots.delete(address);
    this.boots.set(address, { id, ...(node && { node }) });
    if (this.boots.size > MAX_BOOT_ADDRESSES) this.boots.delete(this.boots.keys().next().value!);
  }

  private async addressesOf(host: string): Promise<string[]> {
    const literal = parseIp(host)?.text;
    if (literal !== undefined) return [literal];
    const { resolve = resolveName, logger } = this.parts.options;
    try {
      const texts = await resolve(host);
      const ips = texts.map((text) => parseIp(text)?.text).filter((ip) => ip !== undefined);
      return ips.slice(0, MAX_ADDRESSES_PER_NAME);
    } catch (error) {
      logger.debug({ host, error: (error as Error).message }, "Cannot resolve the name of a boot node");
      return [];
    }
  }
}

async function resolveName(host: string): Promise<string[]> {
  const addresses = await lookup(host, { all: true });
  return addresses.map(({ address }) => address);
}
