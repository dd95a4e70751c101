export * from "./check.js";
export * from "./errors.js";
export * from "./interface.js";
export { NodeCache } from "./node-cache.js";
export * from "./node-view.js";
export * from "./ordered-list.js";
export * from "./trie.js";
export type { TrieEntry } from "./trie-entries.js";
