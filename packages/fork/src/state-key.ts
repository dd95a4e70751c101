import { equalBytes } from "@cambium/primitives";
import { accountKey, cellOfKey } from "@cambium/state";

/** The part of an account that a key of the state trie (`spec/01 §4.4`) belongs to. */
export type PartOfAccount =
  | { kind: "record" | "marker" | "code"; address: Uint8Array }
  /** `cell` has 32 bytes. */
  | { kind: "cell"; address: Uint8Array; cell: Uint8Array };

const ADDRESS_OFFSET = 11;
const ACCOUNT_KEY_BYTES = 31;
const CODE = 0x80;

/** Returns undefined for accounts whose address does not have 20 bytes. */
export function partOfAccount(key: Uint8Array): PartOfAccount | undefined {
  if (key.length < ACCOUNT_KEY_BYTES) return undefined;
  const account = key.slice(0, ACCOUNT_KEY_BYTES);
  const address = key.slice(ADDRESS_OFFSET, ACCOUNT_KEY_BYTES);
  if (!equalBytes(accountKey(address), account)) return undefined;
  if (key.length === ACCOUNT_KEY_BYTES) return { kind: "record", address };
  if (key.length > ACCOUNT_KEY_BYTES + 1) return { kind: "cell", address, cell: cellOfKey(account, key) };
  return { kind: key[ACCOUNT_KEY_BYTES] === CODE ? "code" : "marker", address };
}
