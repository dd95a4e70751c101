/** What benchmarks need to write chains that were never executed; no other package imports it outside tests. */

export { adoptWrites, ChainStore } from "./store/chain-store.js";
export { LogIndexWriter } from "./store/log-index.js";
export { FACTS } from "./store/tables.js";
