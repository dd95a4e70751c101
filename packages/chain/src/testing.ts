/** Exports for benchmarks of parts of the import; other packages import it only in tests. */

export { SenderRecovery } from "./threads/sender-recovery.js";
