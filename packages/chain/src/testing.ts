/** Exports for benchmarks of parts of the import; other packages import it only in tests. */

export { FlatStateWriter } from "./state/flat-state-writer.js";
export { FlatStates } from "./state/flat-states.js";
export { encodeTrieBlock, FlatTables } from "./state/flat-tables.js";
export { firstVersionWrites } from "./state/genesis-writes.js";
export { openStateWriter } from "./state/open-states.js";
export { adoptWrites, ChainStore } from "./store/chain-store.js";
export { LogIndexWriter } from "./store/log-index.js";
export { FACTS } from "./store/tables.js";
export { SenderRecovery } from "./threads/sender-recovery.js";
