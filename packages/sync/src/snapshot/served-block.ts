import { BlockError, proofOfWork } from "@cambium/chain";
import type { NetworkConfig } from "@cambium/config";
import type { SnapshotBlock } from "@cambium/networking";
import { equalBytes } from "@cambium/primitives";
import { Block, TypesError } from "@cambium/types";
import { BadAnswer } from "./snapshot-peers.js";

/**
 * Decodes a block of a snapshot and checks its transactions and uncles against its header. The caller compares the
 * hash. The proof of work is checked too, because the hash does not cover all of it. Throws {@link BadAnswer}.
 */
export function decodeServedBlock({ encoded }: SnapshotBlock, network: NetworkConfig): Block {
  try {
    const block = Block.decode(encoded, network);
    if (block.number > 0) proofOfWork(block.header, network);
    if (equalBytes(block.unclesHash, block.header.unclesHash)) return block;
    throw new BadAnswer("INVALID_BLOCK", `wrong uncles of block ${block.number}`);
  } catch (error) {
    if (error instanceof TypesError) throw new BadAnswer("UNREADABLE_MESSAGE", error.message);
    if (error instanceof BlockError) throw new BadAnswer("INVALID_BLOCK", error.message);
    throw error;
  }
}
