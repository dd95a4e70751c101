// Limits on messages. Limits on counts and bytes are above everything that honest nodes send. Elements beyond a count
// are not read; the deployed client knows no limit.

export const KIB = 1024;
export const MIB = 1024 * KIB;

/** Maximum size of a payload, in bytes: with its code, a frame has at most 8 388 607 bytes (`spec/07 §A.2.3`). */
export const MAX_PAYLOAD_BYTES = 8 * MIB - 2;

/** Maximum size of messages with a few numbers and hashes, with room for elements of later versions. */
export const SMALL_BYTES = 4 * KIB;
/** Maximum size of an element in a list of blocks by hash and number, with such room. */
const BLOCK_ID_BYTES = 256;

/**
 * Maximum number of blocks in one announcement. The deployed client announces blocks individually, and accepts any
 * number.
 */
export const MAX_ANNOUNCED_BLOCKS = 1024;
/**
 * Maximum number of entries in a skeleton. The deployed client's default is 21 (`spec/07 §B.5`), which operators may
 * raise.
 */
export const MAX_SKELETON_ENTRIES = 1024;
export const BLOCK_IDS_BYTES = Math.max(MAX_ANNOUNCED_BLOCKS, MAX_SKELETON_ENTRIES) * BLOCK_ID_BYTES;

/** Maximum number of headers; a request for more is not answered (`spec/07 §B.5`). */
export const MAX_HEADERS = 192;
/** Maximum number of uncles, more than any block has: the rules allow ten (`spec/03`). */
export const MAX_UNCLES = 64;
/** Maximum size of headers: `spec/07 §D.4` allows 16 KiB for each. */
export const HEADERS_BYTES = MAX_HEADERS * 16 * KIB;

/**
 * Maximum number of transactions, more than any block has: at 21 000 gas each, they need two hundred times the present
 * gas limit.
 */
export const MAX_TRANSACTIONS_IN_LIST = 65_536;
/** Maximum number of blocks in a snapshot: 400, and the checkpoint itself (`spec/07 §B.7`). */
export const MAX_SNAP_BLOCKS = 401;
/** Maximum size of a state chunk: 50 KiB and the nodes at its borders, which may hold long values (`spec/07 §B.9`). */
export const CHUNK_BYTES = MIB;
