import { randomBytes } from "node:crypto";
import { steadyTime, toHex } from "@cambium/primitives";
import { DerivationQueue } from "./derivation-queue.js";
import { AccountsError } from "./errors.js";
import { type ScryptCost, STANDARD_COST } from "./key-derivation.js";
import { decryptKey, type EncryptedKey, encryptKey } from "./key-file.js";
import { addToKeyFolder, readKeyFolder, type UnreadableKey } from "./key-folder.js";
import { addressOfPrivateKey, checkedPrivateKey, privateKeyOfSeed } from "./private-key.js";

export interface KeyStoreOptions {
  /** Folder of the encrypted keys, created with the first one. */
  folder: string;
  /** Current time in milliseconds. */
  now?: () => number;
  /** Cost parameters of new key files. */
  cost?: ScryptCost;
}

/** Maximum number of accounts, both from seeds and stored. */
const MAX_ACCOUNTS = 10_000;

/** Default time for which an account stays unlocked, in milliseconds (`spec/09 §13.3`). */
export const DEFAULT_UNLOCK_TIME = 30 * 60 * 1000;

interface UnlockedKey {
  key: Uint8Array;
  /** Time at which the account is locked again, in milliseconds of the clock `now`. */
  until: number;
}

/**
 * The node's accounts (`spec/09 §13.3`): those in encrypted files, usable while unlocked, and those derived from seeds,
 * which are kept in memory only and always usable.
 */
export class KeyStore {
  /** Key files that could not be read when the folder was opened. */
  readonly unreadable: readonly UnreadableKey[];
  private readonly folder: string;
  private readonly now: () => number;
  private readonly cost: ScryptCost;
  /** Keys derived from seeds by address, in order of creation. */
  private readonly seeded = new Map<string, Uint8Array>();
  private readonly stored = new Map<string, EncryptedKey>();
  private readonly unlocked = new Map<string, UnlockedKey>();
  private readonly derivations = new DerivationQueue();

  /** Reads the key folder. Throws `AccountsError` `KEY_FOLDER`. */
  constructor({ folder, now = steadyTime, cost = STANDARD_COST }: KeyStoreOptions) {
    this.folder = folder;
    this.now = now;
    this.cost = cost;
    const content = readKeyFolder(folder);
    for (const key of content.keys) this.stored.set(toHex(key.address), key);
    this.unreadable = content.unreadable;
  }

  /** Addresses from seeds in order of creation, then the stored ones. */
  addresses(): Uint8Array[] {
    const stored = [...this.stored.entries()].filter(([id]) => !this.seeded.has(id)).map(([, key]) => key.address);
    return [...[...this.seeded.values()].map(addressOfPrivateKey), ...stored];
  }

  has(address: Uint8Array): boolean {
    const id = toHex(address);
    return this.seeded.has(id) || this.stored.has(id);
  }

  /** Adds the account derived from a seed and returns its address. Throws `AccountsError` `TOO_MANY_ACCOUNTS`. */
  addSeed(seed: string): Uint8Array {
    return this.addKey(privateKeyOfSeed(seed));
  }

  /** Adds a key that is kept in memory only and is always unlocked. Throws `AccountsError` `TOO_MANY_ACCOUNTS`. */
  addKey(key: Uint8Array): Uint8Array {
    const address = addressOfPrivateKey(key);
    if (!this.seeded.has(toHex(address))) limitAccounts(this.seeded);
    this.seeded.set(toHex(address), key);
    return address;
  }

  /** Generates a random key, stores it encrypted and unlocks it for the default time. Rejects like {@link import}. */
  create(passphrase: string, signal?: AbortSignal): Promise<Uint8Array> {
    return this.import(randomBytes(32), passphrase, signal);
  }

  /**
   * Stores a key encrypted and unlocks it for the default time. If the signal is aborted before, nothing is stored.
   * Rejects with `AccountsError` `INVALID_PRIVATE_KEY`, `TOO_MANY_ACCOUNTS` or `BUSY`, or with the signal's reason.
   */
  async import(privateKey: Uint8Array, passphrase: string, signal?: AbortSignal): Promise<Uint8Array> {
    const key = checkedPrivateKey(privateKey);
    limitAccounts(this.stored);
    const encrypted = await this.derivations.run(() => encryptKey(key, passphrase, this.cost), signal);
    addToKeyFolder(this.folder, encrypted, new Date(this.now()));
    const id = toHex(encrypted.address);
    this.stored.set(id, encrypted);
    this.keepUnlocked(id, key, DEFAULT_UNLOCK_TIME);
    return encrypted.address;
  }

  /**
   * Unlocks a stored account for a time. Resolves to false if it is unknown or the passphrase is wrong. Rejects like
   * {@link decrypt}.
   */
  async unlock(
    address: Uint8Array,
    passphrase: string,
    milliseconds = DEFAULT_UNLOCK_TIME,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const key = await this.decrypt(address, passphrase, signal);
    if (key === undefined) return false;
    this.keepUnlocked(toHex(address), key, milliseconds);
    return true;
  }

  /** Locks an account and erases its key from memory. False if it was not unlocked, or is derived from a seed. */
  lock(address: Uint8Array): boolean {
    const wasUnlocked = this.privateKey(address) !== undefined;
    return this.forget(toHex(address)) && wasUnlocked;
  }

  /** Private key of an unlocked or seed-derived account. */
  privateKey(address: Uint8Array): Uint8Array | undefined {
    const id = toHex(address);
    const seeded = this.seeded.get(id);
    if (seeded !== undefined) return seeded;
    const unlocked = this.unlocked.get(id);
    if (unlocked === undefined) return undefined;
    if (this.now() < unlocked.until) return unlocked.key;
    this.forget(id);
    return undefined;
  }

  /**
   * Private key of a stored account, which stays locked; undefined if it is unknown or the passphrase is wrong. Rejects
   * with `AccountsError` `BUSY`, or with the reason of an aborted signal.
   */
  async decrypt(address: Uint8Array, passphrase: string, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    const encrypted = this.stored.get(toHex(address));
    return encrypted && this.derivations.run(() => decryptKey(encrypted, passphrase), signal);
  }

  private keepUnlocked(id: string, key: Uint8Array, milliseconds: number): void {
    this.unlocked.set(id, { key: key.slice(), until: this.now() + milliseconds });
  }

  private forget(id: string): boolean {
    this.unlocked.get(id)?.key.fill(0);
    return this.unlocked.delete(id);
  }
}

function limitAccounts(accounts: ReadonlyMap<string, unknown>): void {
  if (accounts.size >= MAX_ACCOUNTS) throw new AccountsError({ code: "TOO_MANY_ACCOUNTS", limit: MAX_ACCOUNTS });
}
