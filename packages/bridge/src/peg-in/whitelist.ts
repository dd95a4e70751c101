import {
  type AbiText,
  append,
  bigintToBytes,
  bigintToTwosComplement,
  bytesToBigint,
  bytesToNumber,
  compareBytes,
  concatBytes,
  decodeBase58Check,
  decodeRlpList,
  encodeBase58Check,
  encodeRlp,
  equalBytes,
  numberToBytes,
  type RlpItem,
} from "@cambium/primitives";
import { fitsInt64, type Implementations, toInt32 } from "../abi/implementation.js";
import { PARENT_CHAINS } from "../bitcoin/parent-chains.js";
import { groupsOf } from "../model/codecs.js";
import type { BridgeSession } from "../session.js";
import { CELLS } from "../storage/cells.js";
import { isAmong } from "../votes/election.js";

const MAX_INT32 = 0x7fffffff;
const HASH_LENGTH = 20;

const SUCCESS = 1n;
const UNLIMITED = 0n;
const NOT_THERE = -1n;
const ALREADY_THERE = -1n;
const BAD_ADDRESS = -2n;
const BAD_DELAY = -2n;
const UNAUTHORIZED = -10n;

/** A permission to peg in, from the time when pegging in required one. */
interface Entry {
  /** Hash in the address; P2PKH and P2SH addresses with the same hash are equivalent. */
  hash: Uint8Array;
  /** Maximum amount of a one-off entry in satoshi; undefined means unlimited (RSKIP-87). */
  maximum?: bigint;
}

/** Entries in hash order, and the parent height after which the whitelist is disabled. */
interface Whitelist {
  entries: Entry[];
  /** 2^31 - 1 if it is not set. */
  disableHeight: number;
}

/** Loads the list and saves it back. If the one-off cell is absent, the unlimited one is not read. */
function load(session: BridgeSession): Whitelist {
  const whitelist = read(session);
  save(session, whitelist);
  return whitelist;
}

/**
 * Whether the owner of a hash may peg in this amount at a parent height. Consumes a one-off entry (`spec/06b-2 §6`,
 * "Legacy use").
 */
export function isWhitelisted(session: BridgeSession, hash: Uint8Array, satoshi: bigint, height: number): boolean {
  const whitelist = load(session);
  const entry = whitelist.entries.find((candidate) => equalBytes(candidate.hash, hash));
  const isCovered = entry !== undefined && (entry.maximum === undefined || satoshi <= entry.maximum);
  if (height <= whitelist.disableHeight && !isCovered) return false;
  if (entry?.maximum !== undefined) {
    save(session, { ...whitelist, entries: whitelist.entries.filter((other) => other !== entry) });
  }
  return true;
}

/** A hash of another length can be stored, but every call that reads it fails. */
function decodeHash(session: BridgeSession, { bytes }: RlpItem): Uint8Array {
  return bytes.length === HASH_LENGTH ? bytes : session.fail("whitelist", "stored hash of another length");
}

/** A stored amount is read as unsigned. If it was negative with 8 bytes, every call that reads it fails. */
function decodeMaximum(session: BridgeSession, bytes: Uint8Array): bigint {
  const maximum = bytesToBigint(bytes);
  return fitsInt64(maximum) ? maximum : session.fail("whitelist", "stored amount out of range");
}

/** Negative amounts are stored in two's complement. */
function encodeMaximum(maximum: bigint): Uint8Array {
  return maximum < 0n ? bigintToTwosComplement(maximum) : bigintToBytes(maximum);
}

function read(session: BridgeSession): Whitelist {
  const { storage, rules } = session;
  const oneOff = storage.read(CELLS.whitelist);
  if (oneOff === undefined) return { entries: [], disableHeight: MAX_INT32 };
  const items = decodeRlpList(oneOff);
  if (items.length % 2 === 0) session.fail("whitelist", "incomplete entry");
  const entries = groupsOf(items, 2).map(([hash, maximum]): Entry => {
    return { hash: decodeHash(session, hash!), maximum: decodeMaximum(session, maximum!.bytes) };
  });
  const unlimited = rules.rskip87 ? storage.read(CELLS.unlimitedWhitelist) : undefined;
  if (unlimited !== undefined) {
    append(
      entries,
      decodeRlpList(unlimited).map((item) => ({ hash: decodeHash(session, item) })),
    );
  }
  entries.sort((a, b) => compareBytes(a.hash, b.hash));
  return { entries, disableHeight: bytesToNumber(items.at(-1)!.bytes, "disable height") };
}

function save({ storage, rules }: BridgeSession, { entries, disableHeight }: Whitelist): void {
  const oneOff = entries.flatMap(({ hash, maximum }) => (maximum === undefined ? [] : [hash, encodeMaximum(maximum)]));
  storage.write(CELLS.whitelist, encodeRlp([...oneOff, numberToBytes(disableHeight)]));
  if (!rules.rskip87) return;
  const unlimited = entries.filter((entry) => entry.maximum === undefined).map((entry) => entry.hash);
  storage.write(CELLS.unlimitedWhitelist, encodeRlp(unlimited));
}

/**
 * Hash in an address of the network's parent chain, of either kind; undefined if it is not one. The hash length is not
 * checked, but the call fails if the version byte is missing.
 */
function addressHash(session: BridgeSession, text: AbiText): Uint8Array | undefined {
  const payload = decodeBase58Check(text.toString());
  if (payload?.length === 0) session.fail("whitelist", "address without a version");
  const { publicKeyHashVersion, scriptHashVersion } = PARENT_CHAINS[session.network.parentChain];
  const known = payload?.[0] === publicKeyHashVersion || payload?.[0] === scriptHashVersion;
  return known ? payload?.subarray(1) : undefined;
}

/** Entries are returned as P2PKH addresses. */
function addressAt(session: BridgeSession, index: number): string {
  const entry = load(session).entries[index];
  if (entry === undefined) return "";
  const { publicKeyHashVersion } = PARENT_CHAINS[session.network.parentChain];
  return encodeBase58Check(concatBytes(Uint8Array.of(publicKeyHashVersion), entry.hash));
}

function entryByAddress(session: BridgeSession, text: AbiText): bigint {
  const hash = addressHash(session, text);
  if (hash === undefined) return NOT_THERE;
  const entry = load(session).entries.find((candidate) => equalBytes(candidate.hash, hash));
  return entry === undefined ? NOT_THERE : (entry.maximum ?? UNLIMITED);
}

function isAuthorized({ network, context }: BridgeSession): boolean {
  return isAmong(network.bridge.authorizers.whitelist, context.caller);
}

/** Address and amount are parsed before the caller is checked. */
function add(session: BridgeSession, text: AbiText, maximum?: bigint): bigint {
  const hash = addressHash(session, text);
  if (hash === undefined) return BAD_ADDRESS;
  if (maximum !== undefined && !fitsInt64(maximum)) session.fail("addLockWhitelistAddress", "amount out of range");
  if (!isAuthorized(session)) return UNAUTHORIZED;
  const whitelist = load(session);
  if (whitelist.entries.some((entry) => equalBytes(entry.hash, hash))) return ALREADY_THERE;
  const added: Entry = maximum === undefined ? { hash } : { hash, maximum };
  const entries = [...whitelist.entries, added].sort((a, b) => compareBytes(a.hash, b.hash));
  save(session, { ...whitelist, entries });
  return SUCCESS;
}

function remove(session: BridgeSession, text: AbiText): bigint {
  if (!isAuthorized(session)) return UNAUTHORIZED;
  const whitelist = load(session);
  const hash = addressHash(session, text);
  if (hash === undefined) return BAD_ADDRESS;
  const entries = whitelist.entries.filter((entry) => !equalBytes(entry.hash, hash));
  if (entries.length === whitelist.entries.length) return NOT_THERE;
  save(session, { ...whitelist, entries });
  return SUCCESS;
}

/** Opens the parent-chain store before checking the caller. */
function disableAfter(session: BridgeSession, delay: bigint): bigint {
  const { height } = session.blocks.head();
  if (!isAuthorized(session)) return UNAUTHORIZED;
  const whitelist = load(session);
  if (whitelist.disableHeight < MAX_INT32) return ALREADY_THERE;
  if (BigInt.asIntN(32, delay) !== delay) session.fail("setLockWhitelistDisableBlockDelay", "delay out of range");
  const disableHeight = (height + Number(delay)) | 0;
  if (disableHeight <= height) return BAD_DELAY;
  save(session, { ...whitelist, disableHeight });
  return SUCCESS;
}

/** Methods of the former peg-in whitelist: `spec/06b-2 §6`. */
export const whitelistMethods: Implementations = {
  "getLockWhitelistSize()": (session) => BigInt(load(session).entries.length),
  "getLockWhitelistAddress(int256)": (session, [index]) => addressAt(session, toInt32(index!)),
  "getLockWhitelistEntryByAddress(string)": (session, [text]) => entryByAddress(session, text as AbiText),
  "addLockWhitelistAddress(string,int256)": (session, [text, maximum]) =>
    add(session, text as AbiText, maximum as bigint),
  "addOneOffLockWhitelistAddress(string,int256)": (session, [text, maximum]) =>
    add(session, text as AbiText, maximum as bigint),
  "addUnlimitedLockWhitelistAddress(string)": (session, [text]) => add(session, text as AbiText),
  "removeLockWhitelistAddress(string)": (session, [text]) => remove(session, text as AbiText),
  "setLockWhitelistDisableBlockDelay(int256)": (session, [delay]) => disableAfter(session, delay as bigint),
};
