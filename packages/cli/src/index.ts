export { type FolderReport, runConformance, totals } from "./conformance/runner.js";
export { main } from "./program.js";
