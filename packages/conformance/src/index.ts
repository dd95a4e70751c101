export type { ChainCompanion, ExpectedBlock, ExpectedCall } from "./chains/companion.js";
export { ConformanceError } from "./errors.js";
export { machineOf } from "./networks.js";
export { buildPreState, type PreAccount } from "./pre-state.js";
export { type FolderReport, runConformance, totals } from "./runner.js";
export { type StoryStart, StoryWriter } from "./stories/story-writer.js";
export { accountOf, cellAddress } from "./traps/suite.js";
