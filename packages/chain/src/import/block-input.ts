import type { NetworkConfig } from "@cambium/config";
import { applySenders, Block, type BlockHeader } from "@cambium/types";
import type { KnownExecution } from "./known-execution.js";

/** Source of a block: only `local` ones are published to peers in full. */
export type BlockSource = "gossip" | "sync" | "file" | "local";

/**
 * A block to import: its bytes, and the results of decoding and checks in this process, so that nothing is decoded
 * twice. Everything but the bytes must be this process's own result, never a claim of a peer.
 */
export interface BlockInput {
  /** RLP of the block. */
  readonly bytes: Uint8Array;
  readonly source: BlockSource;
  /** Decoded from the bytes. */
  readonly header?: BlockHeader | undefined;
  /** Decoded from the bytes, or encoded to them. */
  readonly block?: Block | undefined;
  /** Signers of the transactions as far as they are known, packed by `packSenders` of `types`. */
  readonly senders?: Uint8Array | undefined;
  /** Whether the lists in the unchanged bytes match the header's roots (`checkRawBody` of `types`). */
  readonly isBodyChecked?: boolean | undefined;
  /** Results of the block's execution, if this process built the block. */
  readonly execution?: KnownExecution | undefined;
}

/** A block that this process has built, or holds decoded. */
export function localBlock(block: Block, execution?: KnownExecution): BlockInput {
  return { bytes: block.encode(), source: "local", header: block.header, block, execution };
}

/** The block of an input, with the signers that are known. Throws `TypesError`. */
export function blockOf({ bytes, block, header, senders, isBodyChecked }: BlockInput, network: NetworkConfig): Block {
  const decoded = block ?? Block.decode(bytes, network, { header, isBodyChecked });
  if (senders !== undefined) applySenders(decoded.transactions, senders);
  return decoded;
}
