import { counter } from "@cambium/primitives";

export const TRIE_READS = counter("cambium_trie_reads_total", "Keys looked up in state tries");
export const LOADED_NODES = counter(
  "cambium_trie_loaded_nodes_total",
  "Trie nodes read from the database, not found in memory",
);
export const SAVED_NODES = counter("cambium_trie_saved_nodes_total", "Trie nodes passed to the database");
