export type { Artifact } from "./artifacts/artifact.js";
export { constructorArguments, digitsOfCode, matchesCode } from "./artifacts/match-code.js";
export { readArtifacts } from "./artifacts/read-artifacts.js";
export { type DashboardFile, readDashboard } from "./files.js";
