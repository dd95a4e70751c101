export { SyncEngine } from "./engine/engine.js";
export { BlockIntake } from "./gossip/block-intake.js";
export { OrphanStore } from "./gossip/orphan-store.js";
export { GossipService } from "./gossip/service.js";
export type { Checkpoint, SyncChain, SyncProgress } from "./interface.js";
export { SnapshotSync } from "./snapshot/snapshot-sync.js";
export { WorkVerification } from "./work-verification/work-verification.js";
