import { type AbiArray, bigintToBytes, bytesToBigint, encodeRlp } from "@cambium/primitives";
import type { Implementations } from "../abi/implementation.js";
import { ByteReader } from "../bitcoin/byte-reader.js";
import { PARENT_CHAINS, type StoredParentBlock } from "../bitcoin/parent-chains.js";
import { BridgeError } from "../errors.js";
import { requireFederator } from "../federation/federators.js";
import type { BridgeSession } from "../session.js";
import { CELLS } from "../storage/cells.js";
import { addHeader } from "./header-chain.js";
import { parentBlockHash, previousHash } from "./header-hash.js";

const HEADER_LENGTH = 80;
/** Before RSKIP-124, a header could be followed by its transaction count, which had to be 0. */
const LONGEST_HEADER_BEFORE_RSKIP124 = 85;

const MIN_SECONDS_BETWEEN = 300n;
const MAX_DEPTH = 25;

const SUCCESS = 0n;
const TOO_SOON = -1n;
const TOO_OLD = -2n;
const PARENT_UNKNOWN = -3n;
const ALREADY_STORED = -4n;
const WRONG_SIZE = -20n;
const ERROR = -99n;

/**
 * Adds headers submitted by federation members, or by any caller from RSKIP-124 to RSKIP-200: `spec/06b-1 §3.5`.
 * Invalid headers are skipped.
 */
function receiveHeaders(session: BridgeSession, submitted: AbiArray): undefined {
  const { rules } = session;
  if (!rules.rskip124 || rules.rskip200) requireFederator(session, "receiveHeaders");
  for (const bytes of submitted) checkHeaderSize(session, bytes as Uint8Array);
  const { blocks } = session;
  for (const bytes of submitted) {
    const header = (bytes as Uint8Array).subarray(0, HEADER_LENGTH);
    const result = attempt(() => {
      const parent = blocks.get(previousHash(header));
      if (parent === undefined) return "ignored";
      if (isBeyondWorkLimit(session, parent)) return "stop";
      addHeader(header, blocks, PARENT_CHAINS[session.network.parentChain]);
      return "added";
    });
    if (result === "stop") break;
  }
}

function checkHeaderSize({ rules, refuse }: BridgeSession, bytes: Uint8Array): void {
  const longest = rules.rskip124 ? HEADER_LENGTH : LONGEST_HEADER_BEFORE_RSKIP124;
  if (bytes.length < HEADER_LENGTH || bytes.length > longest) refuse("receiveHeaders", "invalid header size");
  if (bytes.length === HEADER_LENGTH) return;
  const count = attempt(() => new ByteReader(bytes.subarray(HEADER_LENGTH)).count());
  if (count !== 0) refuse("receiveHeaders", "header with transactions");
}

/** Returns the result of `step`, undefined if it throws an error that fails a bridge call. */
function attempt<T>(step: () => T): T | undefined {
  try {
    return step();
  } catch (error) {
    if (error instanceof BridgeError) return undefined;
    throw error;
  }
}

/** Until RSKIP-434, the main network rejects headers whose chain work does not fit 12 bytes. */
function isBeyondWorkLimit({ network, rules }: BridgeSession, parent: StoredParentBlock): boolean {
  const { tooMuchWorkHeight } = PARENT_CHAINS[network.parentChain];
  return tooMuchWorkHeight !== undefined && !rules.rskip434 && parent.height + 1 >= tooMuchWorkHeight;
}

/** Adds one header from any caller, at most one per five minutes (RSKIP-200): `spec/06b-1 §3.6`. */
function receiveHeader(session: BridgeSession, header: Uint8Array): bigint {
  if (header.length !== HEADER_LENGTH) return WRONG_SIZE;
  const { blocks, storage } = session;
  const now = session.context.block.timestamp;
  if (blocks.get(parentBlockHash(header)) !== undefined) return ALREADY_STORED;
  const last = storage.readItem(CELLS.receiveHeadersLastTimestamp);
  if (last !== undefined && now - bytesToBigint(last) < MIN_SECONDS_BETWEEN) return TOO_SOON;
  const parent = blocks.get(previousHash(header));
  if (parent === undefined) return PARENT_UNKNOWN;
  if (blocks.head().height - (parent.height + 1) > MAX_DEPTH) return TOO_OLD;
  if (isBeyondWorkLimit(session, parent)) return ERROR;
  const added = attempt(() => {
    addHeader(header, blocks, PARENT_CHAINS[session.network.parentChain]);
    return true;
  });
  if (added === undefined) return ERROR;
  if (now > 0n) storage.write(CELLS.receiveHeadersLastTimestamp, encodeRlp(bigintToBytes(now)));
  return SUCCESS;
}

/** Methods that submit parent-chain headers. */
export const headerMethods: Implementations = {
  "receiveHeaders(bytes[])": (session, [headers]) => receiveHeaders(session, headers as AbiArray),
  "receiveHeader(bytes)": (session, [header]) => receiveHeader(session, header as Uint8Array),
};
