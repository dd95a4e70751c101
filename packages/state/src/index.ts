export { encodeAccount } from "./account.js";
export { ContractFailure, TextlessFailure } from "./contract-failure.js";
export { StateError } from "./errors.js";
export { ForkedState, type ForkValues, forkOrigin, storedWord } from "./forked-state.js";
export { buildGenesisState } from "./genesis-state.js";
export type { KeyTracker, StateCheckpoint, StateReader, StateView, WorldState } from "./interface.js";
export { type CommittedState, JournaledState } from "./journaled-state.js";
export {
  type KeyedState,
  packChanges,
  type StateChange,
  TrieState,
  unpackChanges,
} from "./keyed-state.js";
export { ACCOUNT_KEY_LENGTH, accountKey, cellKey, cellOfKey, codeKey, isCodeKey, markerKey } from "./keys.js";
export type {
  AncestorReader,
  CallKind,
  ExecutingBlock,
  ExecutingTransaction,
  NativeCallContext,
  NativeContract,
} from "./native-contract.js";
export { markedNativeContracts, setUpNativeContracts } from "./native-set-up.js";
export { isNodeFailure } from "./node-failure.js";
export { OncePerCall } from "./once-per-call.js";
export { KeyedStateView, openState } from "./state-view.js";
