import { BlockList, type IPVersion, isIP } from "node:net";
import { parseIp } from "@cambium/primitives";

/** Proxies that are trusted to name their clients, by address or network. */
export class Proxies {
  private readonly networks = new BlockList();

  private constructor() {}

  /** Creates proxies from addresses and networks such as `10.0.0.0/8`; undefined if a text is neither. */
  static of(texts: readonly string[]): Proxies | undefined {
    const proxies = new Proxies();
    return texts.every((text) => proxies.add(text)) ? proxies : undefined;
  }

  private add(text: string): boolean {
    const [address = "", length, ...more] = text.split("/");
    const version = isIP(address);
    const bits = version === 4 ? 32 : 128;
    const prefix = length === undefined ? bits : Number(length);
    const isPrefix = length === undefined || (/^\d{1,3}$/.test(length) && prefix <= bits);
    if (version === 0 || !isPrefix || more.length > 0) return false;
    this.networks.addSubnet(address, prefix, version === 4 ? "ipv4" : "ipv6");
    return true;
  }

  has(address: string): boolean {
    const ip = parseIp(address);
    if (ip === undefined) return false;
    const version: IPVersion = ip.bytes.length === 4 ? "ipv4" : "ipv6";
    return this.networks.check(ip.text, version);
  }

  /**
   * Returns the address of the client that a proxy serves. It is the last one in `X-Forwarded-For` that is no proxy,
   * because a client may have forged earlier ones. If there is none, returns the proxy's address.
   */
  clientBehind(proxy: string, forwardedFor: string | string[] | undefined): string {
    const hops = String(forwardedFor ?? "")
      .split(",")
      .map((hop) => parseIp(hop.trim())?.text);
    const client = hops.findLastIndex((hop) => hop === undefined || !this.has(hop));
    return hops[client] ?? proxy;
  }
}
