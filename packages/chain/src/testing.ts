/** Exports for benchmarks that write chains without executing them; other packages import it only in tests. */

export { adoptWrites, ChainStore } from "./store/chain-store.js";
export { LogIndexWriter } from "./store/log-index.js";
export { FACTS } from "./store/tables.js";
