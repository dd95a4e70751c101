export { ConformanceError } from "./errors.js";
export { type FolderReport, runConformance, totals } from "./runner.js";
export { type StoryStart, StoryWriter } from "./stories/story-writer.js";
