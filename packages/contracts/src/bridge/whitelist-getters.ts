import { concatBytes, equalBytes, fromHex } from "@cambium/primitives";
import { decodeBase58Check, encodeBase58Check } from "../base58.js";
import { CELLS } from "./cells.js";
import { decodeWhitelist, type WhitelistEntry } from "./codecs.js";
import { type Implementations, toInt32 } from "./implementation.js";
import { PARENT_CHAINS } from "./parent-chain.js";
import type { BridgeSession } from "./session.js";

/** An absent list with its disable height unset, 2^31 - 1. */
const EMPTY_WHITELIST = fromHex("c5847fffffff");

const UNLIMITED = 0n;
const UNKNOWN = -1n;

/** Loaded: an absent list is saved as an empty one. Without the one-off cell the unlimited one is not looked at. */
function whitelist({ storage, rules }: BridgeSession): WhitelistEntry[] {
  const present = storage.read(CELLS.whitelist) !== undefined;
  const oneOff = storage.load(CELLS.whitelist, EMPTY_WHITELIST);
  if (!rules.rskip87) return decodeWhitelist(oneOff, undefined);
  if (present) return decodeWhitelist(oneOff, storage.loadList(CELLS.unlimitedWhitelist));
  storage.write(CELLS.unlimitedWhitelist, Uint8Array.of(0xc0));
  return [];
}

/** Hash in an address of the network's parent chain, of either kind; undefined when it is none. */
function addressHash({ network }: BridgeSession, text: string): Uint8Array | undefined {
  const payload = decodeBase58Check(text);
  if (payload?.length !== 21) return undefined;
  const { publicKeyHashVersion, scriptHashVersion } = PARENT_CHAINS[network.parentChain];
  const known = payload[0] === publicKeyHashVersion || payload[0] === scriptHashVersion;
  return known ? payload.subarray(1) : undefined;
}

/** Entries are read back as addresses of a public-key hash. */
function addressAt(session: BridgeSession, index: number): string {
  const entry = whitelist(session)[index];
  if (entry === undefined) return "";
  const { publicKeyHashVersion } = PARENT_CHAINS[session.network.parentChain];
  return encodeBase58Check(concatBytes(Uint8Array.of(publicKeyHashVersion), entry.hash));
}

function entryByAddress(session: BridgeSession, text: string): bigint {
  const hash = addressHash(session, text);
  if (hash === undefined) return UNKNOWN;
  const entry = whitelist(session).find((candidate) => equalBytes(candidate.hash, hash));
  return entry === undefined ? UNKNOWN : (entry.maximum ?? UNLIMITED);
}

/** Getters of the list of who could peg in: `spec/06b-2 §6`. */
export const whitelistGetters: Implementations = {
  "getLockWhitelistSize()": (session) => BigInt(whitelist(session).length),
  "getLockWhitelistAddress(int256)": (session, [index]) => addressAt(session, toInt32(index!)),
  "getLockWhitelistEntryByAddress(string)": (session, [text]) => entryByAddress(session, text as string),
};
