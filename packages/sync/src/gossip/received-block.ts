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

/** A block as it came: only its header has been read. */
export interface ReceivedBlock {
  readonly encoded: Uint8Array;
  readonly header: BlockHeader;
  /** Hex of the hash. */
  readonly id: string;
}

/** Reads the header of a block, and keeps views of the bytes. Throws `TypesError` or `RlpError`. */
export function readBlock(encoded: Uint8Array, network: NetworkConfig): ReceivedBlock {
  const items = decodeRlpList(encoded);
  if (items.length !== 3) throw new TypesError({ code: "BLOCK_SIZE", expected: 3, actual: items.length });
  const header = BlockHeader.decode(items[0]!, network);
  return { encoded, header, id: toHex(header.hash) };
}

/** The same in memory of its own: a message's buffer may be larger than the block, and stay for as long. */
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
 * Whether the lists are those that the header commits to. The extension needs no look of its own: a header that came
 * whole has been hashed with its own.
 */
export function bodyFault({ encoded, header }: ReceivedBlock, network: NetworkConfig): BlockFault | undefined {
  return faultOf(() => unclesHash(header, Block.decode(encoded, network).uncles));
}

/** The fault a check finds; what is thrown besides is nobody's fault. */
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

/** Whether an error says that bytes are not what they should be. */
export function isMalformed(error: unknown): error is TypesError | RlpError {
  return error instanceof TypesError || error instanceof RlpError;
}
