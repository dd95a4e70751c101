import type { Block, Receipt } from "@cambium/types";
import type { StoredBlock } from "../interface.js";
import type { BlockSource } from "./block-input.js";

/** A stored block whose parts are all decoded. */
export function storedBlock(block: Block, receipts: readonly Receipt[], source: BlockSource): StoredBlock {
  const { header, hash, number } = block;
  return { hash, number, source, header, block, receipts };
}
