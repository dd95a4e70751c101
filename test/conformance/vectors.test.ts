import assert from "node:assert/strict";
import { runConformance } from "@cambium/conformance";
import { atDepth } from "@cambium/test-utils/depth";
import { longChainFiles, outsideVectorPath, vectorPath } from "@cambium/test-utils/vectors";

/** The vectors of this repository, through the runner that `node-cli conformance` uses. */
const FOLDERS = [
  ...["merged-mining", "state-tests", "chains", "bridge", "rpc", "differential", "stories", "traps", "next"],
  ...["rlpx", "header-rules", "transaction-fields"],
];

/** Vectors that are too large for the repository, and for usual runs. */
const OUTSIDE: Record<string, () => string[] | undefined> = {
  scenarios: () => listOf(outsideVectorPath("scenarios")),
  "state-tests/gst": () => listOf(outsideVectorPath("state-tests", "gst")),
  "chains/long": () => {
    const companion = outsideVectorPath("chains", "long.json");
    return companion === undefined ? undefined : longChainFiles()?.concat(companion);
  },
};

describe("conformance", () => {
  for (const folder of FOLDERS) {
    it(`${folder}: every vector gives the recorded result`, () => assertConformance([vectorPath(folder)]));
  }

  for (const [name, paths] of atDepth([], Object.entries(OUTSIDE))) {
    it(`${name} (outside the repository): every vector gives the recorded result`, async function () {
      await assertConformance(paths() ?? this.skip());
    });
  }
});

async function assertConformance(paths: string[]): Promise<void> {
  const { reports, ignored } = await runConformance(paths);
  const failures = reports.flatMap((report) => report.failures);
  assert.deepEqual(failures.slice(0, 20), [], `${failures.length} failed`);
  assert.deepEqual(
    reports.flatMap((report) => report.pendingCases),
    [],
  );
  assert.deepEqual(ignored, []);
  assert.ok(reports.some((report) => report.passed > 0));
}

function listOf(path: string | undefined): string[] | undefined {
  return path === undefined ? undefined : [path];
}
