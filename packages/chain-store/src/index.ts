export { type BlockHistoryOptions, BlockPruning } from "./block-pruning.js";
export { BlockCache } from "./blocks/block-cache.js";
export { sendersKey } from "./blocks/block-senders.js";
export { Branch } from "./blocks/branch.js";
export { abandonWrites, adoptWrites, ChainStore, contentWrites } from "./blocks/chain-store.js";
export { HeaderWindow } from "./blocks/header-window.js";
export { type LocatedReceipt, locatedReceipts } from "./blocks/located-receipt.js";
export { RewoundBlocks } from "./blocks/rewound-blocks.js";
export { ChainError, type ChainFault, internalFault } from "./errors.js";
export type { EncodedBody, LogLocation, LogQuery, Reorganisation } from "./interface.js";
export { chunkOf, isIndexed, LogIndexWriter } from "./logs/log-index.js";
export { searchLogs } from "./logs/search-logs.js";
export { ArchiveStates } from "./state/archive-states.js";
export { clearTable } from "./state/clear-table.js";
export { decodeRecord, encodeRecord, type FlatRecord, nextRecord } from "./state/flat-record.js";
export { BlockState } from "./state/flat-state.js";
export { type FlatStateOptions, historyStart } from "./state/flat-state-options.js";
export { FlatStateWriter } from "./state/flat-state-writer.js";
export { FlatStates, MANY_DIFFERENCES } from "./state/flat-states.js";
export {
  codeReferenceOf,
  encodeTrieBlock,
  FlatTables,
  hashInReference,
  lengthInReference,
  pinnedKey,
  type TrieBlock,
} from "./state/flat-tables.js";
export {
  addFirstVersion,
  type Genesis,
  type GenesisNodes,
  genesisStateWrites,
  restoreGenesisState,
} from "./state/genesis-writes.js";
export { layoutOf, openStates, openStateWriter } from "./state/open-states.js";
export { FLAT_TABLES, removeFlatState } from "./state/remove-flat-state.js";
export { decodeDiff, encodeDiff } from "./state/state-diff.js";
export type {
  AcceptOptions,
  BestState,
  BlockId,
  StateLayout,
  StateSource,
  StateWriter,
  StoredStates,
} from "./state/stored-states.js";
export {
  accountOf,
  decodeTombstone,
  isCellKey,
  isTombstoneKey,
  numberInId,
  type StorageIds,
  storedPlaces,
  TOMBSTONE_BYTES,
} from "./state/tombstone.js";
export { type BlockOutcome, hasState, NO_STATE } from "./tables/block-outcome.js";
export { READABLE_SCHEMAS, SCHEMA_WRITE, TOMBSTONE_SCHEMA, TOMBSTONE_WRITE } from "./tables/schema.js";
export { progressWrite, readProgress, type SnapshotProgress, type WeighedBlock } from "./tables/snapshot-progress.js";
export { FACTS, numberFact, SCHEMA_VERSION, STATE_LAYOUTS, TABLES } from "./tables/tables.js";
export { readTrust, type Trust, trustText } from "./tables/trust.js";
export { readVerifiedWork, type VerifiedWork, verifiedWorkWrite } from "./tables/verified-work.js";
