import { BlockError, proofOfWork } from "@cambium/chain";
import type { NetworkConfig } from "@cambium/config";
import type { SnapshotBlock } from "@cambium/networking";
import { equalBytes } from "@cambium/primitives";
import { Block, TypesError } from "@cambium/types";
import { BadAnswer } from "./snapshot-peers.js";

/**
 * A block that came with a snapshot, with the transactions and uncles that its header names. Its hash is compared by
 * whoever asked; the proof of work is looked at here, because the hash does not cover all of it. Throws
 * {@link BadAnswer}.
 */
export function decodeServedBlock({ encoded }: SnapshotBlock, network: NetworkConfig): Block {
  try {
    const block = Block.decode(encoded, network);
    if (block.number > 0) proofOfWork(block.header, network);
    if (equalBytes(block.unclesHash, block.header.unclesHash)) return block;
    throw new BadAnswer("INVALID_BLOCK", `uncles of block ${block.number}`);
  } catch (error) {
    if (error instanceof TypesError) throw new BadAnswer("INVALID_MESSAGE", error.message);
    if (error instanceof BlockError) throw new BadAnswer("INVALID_BLOCK", error.message);
    throw error;
  }
}
