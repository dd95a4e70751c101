export { checkDatabase, type DatabaseCheckResult } from "./check/check-database.js";
export { checkFlatState, type FlatStateFault } from "./check/check-flat-state.js";
export { compareKnownBlocks } from "./check/compare-known.js";
export type { DatabaseProblem, SnapshotGaps } from "./check/database-problem.js";
export { type StoredRange, storedRange } from "./check/stored-range.js";
export { type BlockFileEntry, type BlockSource, readBlockFile, type SourceLine } from "./files/block-file.js";
export { exportFile } from "./files/export-file.js";
export { exportReadable } from "./files/export-readable.js";
export {
  type ImportProgress,
  type ImportSummary,
  importFiles,
  importSources,
  type RejectedLine,
} from "./files/import-file.js";
export { type PruneBlocksOptions, pruneBlocks } from "./prune-blocks.js";
export { pruneHistory } from "./prune-history.js";
export { type ChosenArchive, chooseArchive, readIndexes } from "./published/archive-choice.js";
export { type ArchiveData, openArchive } from "./published/archive-file.js";
export { PublishedStateError } from "./published/errors.js";
export { exportPublishedState } from "./published/export.js";
export { type InstalledState, installPublishedState } from "./published/install.js";
export { signedIndex } from "./published/signer-index.js";
export { backupDatabase, restoreDatabase } from "./repair/backup-database.js";
export { type RepairResult, rebuildChain, repairDatabase } from "./repair/repair-database.js";
export type { RepairStep } from "./repair/repair-step.js";
export { rewindDatabase } from "./repair/rewind-database.js";
