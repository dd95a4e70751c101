export { BlockIntake, type BlockIntakeModules, type Taken } from "./block-intake.js";
export type { GossipEngine, GossipModules } from "./modules.js";
export { ORPHAN_LIMITS, type Orphan, type OrphanLimits, OrphanStore } from "./orphan-store.js";
export { type TrackedChain, trackImports } from "./peer-imports.js";
export type { RelayProfile } from "./received-block.js";
export { GossipService } from "./service.js";
