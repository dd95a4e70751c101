export { ChainError } from "./errors.js";
export { type BlockExecution, executeBlock, executingBlock } from "./execution/block-executor.js";
export { type ListGasLimits, listGasLimits } from "./execution/execution-lists.js";
export { allNativeContracts, createChainEvm } from "./execution/native-contracts.js";
export { BlockError, type BlockFault, faultSubject, type HeaderFault } from "./faults.js";
export { type BlockSource, readBlockFile, type SourceLine } from "./files/block-file.js";
export { exportFile } from "./files/export-file.js";
export { exportReadable } from "./files/export-readable.js";
export {
  type ImportProgress,
  type ImportSummary,
  importFiles,
  importSources,
  type RejectedLine,
} from "./files/import-file.js";
export { type ForkOrigin, remoteOrigin, storedOrigin } from "./fork/fork-origin.js";
export { closeForkSource, forkSource, isEndpoint } from "./fork/fork-source.js";
export { buildGenesis, type Genesis } from "./genesis.js";
export { type BlockInput, localBlock } from "./import/block-input.js";
export { Chain } from "./import/chain.js";
export type { ChainListener } from "./import/chain-listeners.js";
export { isBetter } from "./import/fork-choice.js";
export type { KnownExecution } from "./import/known-execution.js";
export { storedBlock } from "./import/stored-block.js";
export type {
  ChainEvent,
  ChainReader,
  ImportResult,
  LogLocation,
  LogQuery,
  Simulation,
  StateObserver,
  StoredBlock,
} from "./interface.js";
export { type ChainOptions, openChain, openReader, prepareDatabase } from "./open-chain.js";
export { databasePath } from "./paths.js";
export { backupDatabase, restoreDatabase } from "./repair/backup-database.js";
export { type RepairResult, repairDatabase } from "./repair/repair-database.js";
export type { RepairStep } from "./repair/repair-step.js";
export { rewindDatabase } from "./repair/rewind-database.js";
export { calcDifficulty } from "./rules/difficulty.js";
export { forkDetectionAncestors } from "./rules/fork-detection.js";
export { forkDetectionFormat } from "./rules/fork-detection-format.js";
export { FREE_STEPS, gasLimitStepRule, minimumGasPriceStepRule } from "./rules/free-steps.js";
export { gasLimitMinimum, gasLimitRange } from "./rules/gas-limit.js";
export { difficulty, extraDataSize, parentNumber } from "./rules/header.js";
export { minimumGasPriceRange } from "./rules/minimum-gas-price.js";
export { proofOfWork } from "./rules/proof-of-work.js";
export { timestamp } from "./rules/timestamp.js";
export { type UncleHeaderContext, uncleFamily, uncleHeaders, unclesHash } from "./rules/uncles.js";
export {
  checkAll,
  consensusProfile,
  executionProfile,
  type HeaderContext,
  headerRules,
  type ParentContext,
  type Rule,
  relayRules,
  type ValidationProfile,
} from "./rules/validation.js";
export type { SnapshotServing } from "./snapshot/serving.js";
export { SnapshotHistory } from "./snapshot/snapshot-history.js";
export { openSnapshotInstaller, SnapshotInstaller } from "./snapshot/snapshot-installer.js";
export type { SnapshotProgress, WeighedBlock } from "./snapshot/snapshot-progress.js";
export { SnapshotServer } from "./snapshot/snapshot-server.js";
export { pruneHistory } from "./state/prune-history.js";
export { type StoredRange, storedRange } from "./state/stored-range.js";
export type { StateLayout } from "./state/stored-states.js";
export { checkDatabase, type DatabaseCheckResult, type DatabaseProblem, type SnapshotGaps } from "./store/check.js";
export { compareKnownBlocks } from "./store/compare-known.js";
export { StoredChainReader } from "./store/reader.js";
export { FACTS, TABLES } from "./store/tables.js";
export { announcedEvent, plainChainEvent } from "./threads/announced-event.js";
export type { PlainChainEvent } from "./threads/import-messages.js";
export { LocalChain, openLocalChain } from "./threads/local-chain.js";
export { openReplicaChain, ReplicaChain } from "./threads/replica-chain.js";
export { openThreadedChain, ThreadedChain } from "./threads/threaded-chain.js";
