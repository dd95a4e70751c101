import { randomBytes } from "node:crypto";
import { toHex } from "@cambium/primitives";
import { type ScryptCost, STANDARD_COST } from "./key-derivation.js";
import { decryptKey, type EncryptedKey, encryptKey } from "./key-file.js";
import { addToKeyFolder, readKeyFolder, type UnreadableKey } from "./key-folder.js";
import { addressOfPrivateKey, checkedPrivateKey, privateKeyOfSeed } from "./private-key.js";

export interface KeyStoreOptions {
  /** Where the encrypted keys are; made when the first one is stored. */
  folder: string;
  /** Local time in milliseconds. */
  now?: () => number;
  /** Cost of new files. */
  cost?: ScryptCost;
}

/** How long an account stays unlocked unless said otherwise, in milliseconds (`spec/09 §13.3`). */
export const DEFAULT_UNLOCK_TIME = 30 * 60 * 1000;

interface UnlockedKey {
  key: Uint8Array;
  /** Milliseconds; infinite for accounts from a seed. */
  until: number;
}

/**
 * The accounts whose keys the node holds: those in encrypted files, usable while unlocked, and those made from a seed,
 * which are in memory only and always usable (`spec/09 §13.3`).
 */
export class KeyStore {
  /** Files of the folder that could not be read when it was opened. */
  readonly unreadable: readonly UnreadableKey[];
  private readonly folder: string;
  private readonly now: () => number;
  private readonly cost: ScryptCost;
  /** By address, in order of creation. */
  private readonly seeded = new Map<string, Uint8Array>();
  private readonly stored = new Map<string, EncryptedKey>();
  private readonly unlocked = new Map<string, UnlockedKey>();
  /** Derivations take much memory: one at a time. */
  private turn: Promise<unknown> = Promise.resolve();

  /** Reads the folder. Throws `AccountsError` `KEY_FOLDER`. */
  constructor({ folder, now = Date.now, cost = STANDARD_COST }: KeyStoreOptions) {
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

  /** Adds the account of a seed text; the same text gives the same account. */
  addSeed(seed: string): Uint8Array {
    const key = privateKeyOfSeed(seed);
    const address = addressOfPrivateKey(key);
    this.seeded.set(toHex(address), key);
    return address;
  }

  /** Makes a random key, stores it encrypted and unlocks it for the default time. */
  create(passphrase: string): Promise<Uint8Array> {
    return this.import(randomBytes(32), passphrase);
  }

  /** Stores a key encrypted and unlocks it for the default time. Rejects with `AccountsError` `INVALID_PRIVATE_KEY`. */
  async import(privateKey: Uint8Array, passphrase: string): Promise<Uint8Array> {
    const key = checkedPrivateKey(privateKey);
    const encrypted = await this.inTurn(() => encryptKey(key, passphrase, this.cost));
    addToKeyFolder(this.folder, encrypted, new Date(this.now()));
    const id = toHex(encrypted.address);
    this.stored.set(id, encrypted);
    this.keepUnlocked(id, key, DEFAULT_UNLOCK_TIME);
    return encrypted.address;
  }

  /** Makes a stored account usable for a time; false when it is unknown or the passphrase is wrong. */
  async unlock(address: Uint8Array, passphrase: string, milliseconds = DEFAULT_UNLOCK_TIME): Promise<boolean> {
    const key = await this.decrypt(address, passphrase);
    if (key === undefined) return false;
    this.keepUnlocked(toHex(address), key, milliseconds);
    return true;
  }

  /** Forgets the key of an unlocked account; false when there was none, or the account is from a seed. */
  lock(address: Uint8Array): boolean {
    const wasUnlocked = this.privateKey(address) !== undefined;
    return this.forget(toHex(address)) && wasUnlocked;
  }

  /** Key of an account that is usable now. */
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

  /** Key of an account for one use, without unlocking it; undefined when unknown or the passphrase is wrong. */
  async decrypt(address: Uint8Array, passphrase: string): Promise<Uint8Array | undefined> {
    const encrypted = this.stored.get(toHex(address));
    return encrypted && this.inTurn(() => decryptKey(encrypted, passphrase));
  }

  private keepUnlocked(id: string, key: Uint8Array, milliseconds: number): void {
    this.unlocked.set(id, { key: key.slice(), until: this.now() + milliseconds });
  }

  private forget(id: string): boolean {
    this.unlocked.get(id)?.key.fill(0);
    return this.unlocked.delete(id);
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.turn.then(work);
    this.turn = result.catch(() => undefined);
    return result;
  }
}
