import { BlockError, type BlockFault, checkAll, type Rule, unclesHash } from "@cambium/chain";
import type { NetworkConfig } from "@cambium/config";
import { RlpError, toHex } from "@cambium/primitives";
import { Block, type BlockHeader, checkRawBody, decodeBlockHeader, TypesError } from "@cambium/types";

/** A block as received; only its header is decoded. */
export interface ReceivedBlock {
  readonly encoded: Uint8Array;
  readonly header: BlockHeader;
  /** Hash in hex. */
  readonly id: string;
}

/** Decodes the header of a block into its own memory. Throws `TypesError`. */
export function readBlock(encoded: Uint8Array, network: NetworkConfig): ReceivedBlock {
  const header = decodeBlockHeader(encoded, network);
  return { encoded, header, id: toHex(header.hash) };
}

/** Copies a block: a view would keep the whole, possibly larger, buffer of its message in memory. */
export function inOwnMemory<T extends ReceivedBlock>(block: T): T {
  return { ...block, encoded: block.encoded.slice() };
}

/** Returns the fault of the first violated rule; undefined if all are satisfied. */
export function ruleFault<Context>(rules: readonly Rule<Context>[], context: Context): BlockFault | undefined {
  return faultOf(() => checkAll(rules, context));
}

/**
 * Checks that the header commits to the lists: from the raw bytes, or decoded if they are not canonical. The extension
 * needs no check: the hash of a full header covers it.
 */
export function checkBody({ encoded, header }: ReceivedBlock, network: NetworkConfig): BodyCheck {
  if (faultOf(() => checkRawBody(encoded, header, network)) === undefined) return { isBodyChecked: true };
  const fault = faultOf(() => unclesHash(header, Block.decode(encoded, network, { header }).uncles));
  return { isBodyChecked: false, fault };
}

/** Result of {@link checkBody}. */
export interface BodyCheck {
  /** Whether the unchanged bytes have the header's roots. */
  isBodyChecked: boolean;
  fault?: BlockFault | undefined;
}

/** A block whose lists match its header. */
export type CheckedBlock = ReceivedBlock & Pick<BodyCheck, "isBodyChecked">;

/** Returns the fault that a check throws; rethrows other errors. */
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
