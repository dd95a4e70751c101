import {
  BlockError,
  type BlockFault,
  checkAll,
  type HeaderContext,
  type ParentContext,
  proofOfWork,
  type Rule,
  relayRules,
  timestamp,
  unclesHash,
} from "@cambium/chain";
import type { NetworkConfig } from "@cambium/config";
import { decodeRlpList, RlpError, toHex } from "@cambium/primitives";
import { Block, BlockHeader, TypesError } from "@cambium/types";

/** A block as received; only its header is decoded. */
export interface ReceivedBlock {
  readonly encoded: Uint8Array;
  readonly header: BlockHeader;
  /** Hex of the hash. */
  readonly id: string;
}

/** Decodes the header of a block and keeps views of the bytes. Throws `TypesError` or `RlpError`. */
export function readBlock(encoded: Uint8Array, network: NetworkConfig): ReceivedBlock {
  const items = decodeRlpList(encoded);
  if (items.length !== 3) throw new TypesError({ code: "BLOCK_SIZE", expected: 3, actual: items.length });
  const header = BlockHeader.decode(items[0]!, network);
  return { encoded, header, id: toHex(header.hash) };
}

/** A copy of the block: the buffer of its message may be larger, and would stay in memory with it. */
export function inOwnMemory({ encoded }: ReceivedBlock, network: NetworkConfig): ReceivedBlock {
  return readBlock(encoded.slice(), network);
}

/** What a header must pass before its block is relayed. */
export interface RelayProfile {
  /** Before anything else is known. */
  readonly headerRules: readonly Rule<HeaderContext>[];
  /** With its parent. */
  readonly childRules: readonly Rule<ParentContext>[];
}

/** How a node relays; the clock is asked before the more costly proof of work. */
export const relayProfile: RelayProfile = {
  headerRules: [
    { name: "timestamp", check: ({ header, network, now }) => timestamp(header, network, now) },
    { name: "proofOfWork", check: ({ header, network }) => proofOfWork(header, network) },
  ],
  childRules: relayRules,
};

/** The fault that the first failing rule finds. */
export function ruleFault<Context>(rules: readonly Rule<Context>[], context: Context): BlockFault | undefined {
  return faultOf(() => checkAll(rules, context));
}

/**
 * Checks that the header commits to the lists. The extension needs no check: the hash of a full header covers it.
 */
export function bodyFault({ encoded, header }: ReceivedBlock, network: NetworkConfig): BlockFault | undefined {
  return faultOf(() => unclesHash(header, Block.decode(encoded, network).uncles));
}

/** The fault that a check finds; other errors are rethrown. */
function faultOf(check: () => void): BlockFault | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof BlockError) return error.details;
    if (isMalformed(error)) return { code: "DECODING", reason: error.message };
    throw error;
  }
}

/** Whether an error means that bytes do not decode. */
export function isMalformed(error: unknown): error is TypesError | RlpError {
  return error instanceof TypesError || error instanceof RlpError;
}
