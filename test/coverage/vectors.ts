import { runConformance, totals } from "@cambium/conformance";

// Runs the recorded comparisons of consensus in one process, whose coverage is measured.

const FOLDERS = [
  "merged-mining",
  "header-rules",
  "transaction-fields",
  "state-tests",
  "chains",
  "bridge",
  "differential",
  "stories",
  "traps",
  "next",
  "rlpx",
  "published-state",
  "rpc",
  "scenarios",
];

const { reports } = await runConformance(FOLDERS.map((folder) => `test/vectors/${folder}`));
const { passed, failed } = totals(reports);
console.error(`${passed} cases passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;
