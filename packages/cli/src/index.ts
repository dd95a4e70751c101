export { main, VERSION } from "./program.js";
export { runConformance, totals, type FolderReport } from "./conformance/runner.js";
