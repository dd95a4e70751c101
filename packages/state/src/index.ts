export * from "./account.js";
export * from "./errors.js";
export * from "./interface.js";
export { type CommittedState, JournaledState } from "./journaled-state.js";
export { accountKey, cellKey, codeKey, markerKey } from "./keys.js";
export * from "./native-contract.js";
export { openState, TrieStateView } from "./state-view.js";
