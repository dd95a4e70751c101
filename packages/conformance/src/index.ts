export { ConformanceError } from "./errors.js";
export { type FolderReport, runConformance, totals } from "./runner.js";
