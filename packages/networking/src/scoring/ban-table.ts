import { type AddressBlock, contains, isSameBlock, parseAddressBlock } from "./address-block.js";
import { type Ip, isLoopback } from "./ip.js";

/** Addresses and blocks that an operator shut out (`spec/07 §C.4`); nothing expires. */
export class BanTable {
  private entries: AddressBlock[] = [];

  /** `configured` are banned again at every start, and are not among those to be stored. */
  constructor(private readonly configured: readonly string[]) {
    for (const text of configured) this.add(text);
  }

  /** One that is there already stays as it is. Throws `NetworkingError` `INVALID_ADDRESS`. */
  add(text: string): void {
    const block = parseAddressBlock(text);
    if (!this.entries.some((entry) => isSameBlock(entry, block))) this.entries.push(block);
  }

  /** One that is not there is no error. Throws `NetworkingError` `INVALID_ADDRESS`. */
  remove(text: string): void {
    const block = parseAddressBlock(text);
    this.entries = this.entries.filter((entry) => !isSameBlock(entry, block));
  }

  /** The addresses, then the blocks, as they were written. */
  list(): string[] {
    const addresses = this.entries.filter(({ bits }) => bits === undefined);
    const blocks = this.entries.filter(({ bits }) => bits !== undefined);
    return [...addresses, ...blocks].map(({ text }) => text);
  }

  /** What has to be stored to come back. */
  added(): string[] {
    const configured = this.configured.map(parseAddressBlock);
    return this.entries
      .filter((entry) => !configured.some((other) => isSameBlock(entry, other)))
      .map(({ text }) => text);
  }

  /** A block around the addresses of this machine does not shut them out. */
  has(ip: Ip): boolean {
    return !isLoopback(ip) && this.entries.some((entry) => contains(entry, ip));
  }
}
