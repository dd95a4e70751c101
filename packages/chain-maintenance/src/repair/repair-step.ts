/**
 * Steps of a repair whose progress is counted: in blocks that are checked or indexed, or whose senders are recovered
 * (in the flat layout also executed, or undone for a check), or in values of the state.
 */
export type RepairStep = "checking" | "indexing" | "senders" | "executing" | "history" | "values" | "trie";
