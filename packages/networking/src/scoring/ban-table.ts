import { type Ip, isLoopback } from "@cambium/primitives";
import { type AddressBlock, contains, isSameBlock, parseAddressBlock } from "./address-block.js";

/** Addresses and blocks banned by the operator (`spec/07 §C.4`); bans do not expire. */
export class BanTable {
  private entries: AddressBlock[] = [];

  /** `configured` bans apply at every start and are not stored. */
  constructor(private readonly configured: readonly string[]) {
    for (const text of configured) this.add(text);
  }

  /** Adds an entry, unless it exists. Throws `NetworkingError` `INVALID_ADDRESS`. */
  add(text: string): void {
    const block = parseAddressBlock(text);
    if (!this.entries.some((entry) => isSameBlock(entry, block))) this.entries.push(block);
  }

  /** Removes an entry, if it exists. Throws `NetworkingError` `INVALID_ADDRESS`. */
  remove(text: string): void {
    const block = parseAddressBlock(text);
    this.entries = this.entries.filter((entry) => !isSameBlock(entry, block));
  }

  /** Returns addresses, then blocks, as the operator wrote them. */
  list(): string[] {
    const addresses = this.entries.filter(({ bits }) => bits === undefined);
    const blocks = this.entries.filter(({ bits }) => bits !== undefined);
    return [...addresses, ...blocks].map(({ text }) => text);
  }

  /** Returns the entries to store: those that are not configured. */
  added(): string[] {
    const configured = this.configured.map(parseAddressBlock);
    return this.entries
      .filter((entry) => !configured.some((other) => isSameBlock(entry, other)))
      .map(({ text }) => text);
  }

  /** Whether an address is banned. A block that contains loopback addresses does not ban them. */
  has(ip: Ip): boolean {
    return !isLoopback(ip) && this.entries.some((entry) => contains(entry, ip));
  }
}
