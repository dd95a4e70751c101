/** What benchmarks need to write chains that were never executed; no other package imports it outside tests. */
export { LogIndexWriter } from "./log-index.js";
export { adoptWrites, ChainStore } from "./store.js";
export { FACTS } from "./tables.js";
