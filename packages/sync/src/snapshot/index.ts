export { SNAPSHOT_OPTIONS, type SnapshotOptions } from "./options.js";
export { SNAPSHOT_STEPS, type SnapshotProgressReport, type SnapshotStep } from "./progress.js";
export { SnapshotSync, type SnapshotSyncModules } from "./snapshot-sync.js";
