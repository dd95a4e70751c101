export {
  ChainError,
  type LocatedReceipt,
  type LogLocation,
  type LogQuery,
  locatedReceipts,
} from "@cambium/chain-store";
export { type BlockExecution, executeBlock, executingBlock } from "./execution/block-executor.js";
export { type ListGasLimits, listGasLimits } from "./execution/execution-lists.js";
export { allNativeContracts, createChainEvm } from "./execution/native-contracts.js";
export { BlockError, type BlockFault, faultSubject, type HeaderFault } from "./faults.js";
export { buildGenesis } from "./genesis.js";
export { type BlockInput, localBlock } from "./import/block-input.js";
export { validateBlock } from "./import/block-validation.js";
export { Chain } from "./import/chain.js";
export type { ChainListener } from "./import/chain-listeners.js";
export { isBetter } from "./import/fork-choice.js";
export type { KnownExecution } from "./import/known-execution.js";
export { storedBlock } from "./import/stored-block.js";
export type {
  ChainEvent,
  ChainReader,
  ImportResult,
  Simulation,
  StateObserver,
  StoredBlock,
  TransactionLocation,
} from "./interface.js";
export {
  type ChainOptions,
  checkedGenesis,
  genesisWrites,
  openChain,
  openReader,
  prepareDatabase,
} from "./open-chain.js";
export { calcDifficulty } from "./rules/difficulty.js";
export { forkDetectionAncestors } from "./rules/fork-detection.js";
export { forkDetectionFormat } from "./rules/fork-detection-format.js";
export { FREE_STEPS } from "./rules/free-steps.js";
export { gasLimitRange } from "./rules/gas-limit.js";
export { minimumGasPriceRange } from "./rules/minimum-gas-price.js";
export { proofOfWork } from "./rules/proof-of-work.js";
export { areAcceptableUncles, unclesHash } from "./rules/uncles.js";
export {
  chainHeaderRules,
  checkAll,
  consensusProfile,
  executionProfile,
  headerRules,
  type ParentContext,
  type RelayProfile,
  type Rule,
  relayProfile,
  type ValidationProfile,
} from "./rules/validation.js";
export type { SnapshotServing } from "./snapshot/serving.js";
export { SnapshotHistory } from "./snapshot/snapshot-history.js";
export { SnapshotInstaller } from "./snapshot/snapshot-installer.js";
export { SnapshotServer } from "./snapshot/snapshot-server.js";
export { StoredChainReader } from "./stored-chain-reader.js";
export { announcedEvent, plainChainEvent } from "./threads/announced-event.js";
export type { PlainChainEvent } from "./threads/import-messages.js";
export { LocalChain } from "./threads/local-chain.js";
export { RecoveringImport } from "./threads/recovering-import.js";
export { ReplicaChain } from "./threads/replica-chain.js";
export { ThreadedChain } from "./threads/threaded-chain.js";
