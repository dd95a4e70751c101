import { fromHex, toHex } from "@cambium/primitives";

/** Maximum number of accounts that are impersonated simultaneously. */
const MAX_ACCOUNTS = 10_000;

/** Accounts for which the node sends transactions without their keys, on networks for development. */
export class Impersonation {
  private readonly accounts = new Set<string>();
  /** Whether every account is impersonated. */
  isForAll = false;

  /** False if there are too many. */
  start(address: Uint8Array): boolean {
    if (this.accounts.size >= MAX_ACCOUNTS) return false;
    this.accounts.add(toHex(address));
    return true;
  }

  /** Whether the account was impersonated. */
  stop(address: Uint8Array): boolean {
    return this.accounts.delete(toHex(address));
  }

  clear(): void {
    this.accounts.clear();
    this.isForAll = false;
  }

  has(address: Uint8Array): boolean {
    return this.isForAll || this.accounts.has(toHex(address));
  }

  addresses(): Uint8Array[] {
    return [...this.accounts].map(fromHex);
  }
}
