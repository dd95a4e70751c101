export { SNAPSHOT_OPTIONS, type SnapshotOptions } from "./options.js";
export { SnapshotSync, type SnapshotSyncModules, type SnapshotSyncProgress } from "./snapshot-sync.js";
