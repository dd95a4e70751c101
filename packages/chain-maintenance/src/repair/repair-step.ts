/**
 * What is counted: blocks that are checked or indexed, or in the flat layout executed or undone for a check; values of
 * the state.
 */
export type RepairStep = "checking" | "indexing" | "executing" | "history" | "values" | "trie";
