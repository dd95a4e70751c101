/** Consensus constants that are the same on every network: `spec/02 §2`, `spec/04 §5.4`. */
export const MAX_EXTRA_DATA = 32;
export const MIN_GAS_LIMIT = 3_000_000n;
export const GAS_LIMIT_DIVISOR = 1024n;
export const UNCLE_GENERATION_LIMIT = 7;
export const UNCLE_LIST_LIMIT = 10;
export const PARALLEL_LISTS = 2;
/** Cap on a transaction's gas price, as a multiple of the block's minimum gas price (RSKIP-252). */
export const GAS_PRICE_CAP_FACTOR = 100n;
/** Maximum chain id: `v` of a signature, at most 36 + 2 times the id, has one byte (`spec/01 §3.2`). */
export const MAX_CHAIN_ID = 109;
export const MAX_CODE_SIZE = 24576;
export const MAX_INIT_CODE_SIZE = 49152;
/** Maximum length of a merged-mining Merkle proof in bytes (RSKIP-180). */
export const MAX_MERKLE_PROOF = 960;
/** Number of headers needed to compute fork-detection data, and the first height that carries it (RSKIP-110). */
export const FORK_DETECTION_HEADERS = 449;
/** 2^63 - 1, the largest signed 64-bit integer, at which gas arithmetic saturates. */
export const MAX_INT64 = 0x7fffffffffffffffn;
