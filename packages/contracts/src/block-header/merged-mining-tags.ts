import { EMPTY_BYTES, lastIndexOfBytes, utf8 } from "@cambium/primitives";
import type { BlockHeader } from "@cambium/types";
import { NativeContractError } from "../errors.js";

const TAG = utf8("RSKBLOCK:");
const HASH_LENGTH = 32;

/**
 * Returns the bytes after the last work tag and its hash in the parent-chain coinbase transaction, empty if there is no
 * tag. Throws {@link NativeContractError} `BLOCK_DATA_ABSENT` if the coinbase is absent or ends within the hash.
 */
export function additionalTags(header: BlockHeader): Uint8Array {
  const coinbase = header.parentChainCoinbase;
  if (coinbase === null) throw absent();
  const tag = lastIndexOfBytes(coinbase, TAG);
  if (tag < 0) return EMPTY_BYTES;
  const start = tag + TAG.length + HASH_LENGTH;
  if (start > coinbase.length) throw absent();
  return coinbase.slice(start);
}

function absent(): NativeContractError {
  return new NativeContractError({
    code: "BLOCK_DATA_ABSENT",
    method: "getMergedMiningTags",
    field: "parentChainCoinbase",
  });
}
