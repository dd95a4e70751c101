import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { CAST_RPC_SUITES } from "./suites/cast-rpc.js";
import { SUITE_CHAINS, withChain } from "./suites/chains.js";
import { callersOf, type DocumentedSuite, documentedSuite } from "./suites/documented.js";
import { FOUNDRY_SUITES } from "./suites/foundry.js";
import { HARDHAT_2_SUITES } from "./suites/hardhat-2.js";
import { HARDHAT_3_SUITES } from "./suites/hardhat-3.js";
import { OPENZEPPELIN_SUITES } from "./suites/openzeppelin.js";
import type { Suite, SuiteReport } from "./suites/suite.js";
import { recorded, requireDocumentedMethods, TOOL_METHODS } from "./suites/tool-methods.js";
import { WALLET_SUITES } from "./suites/wallets.js";

const DOCUMENT = readFileSync(new URL("../../docs/client-tools.md", import.meta.url), "utf8");
const SUITES: readonly Suite[] = [
  ...HARDHAT_2_SUITES,
  ...HARDHAT_3_SUITES,
  ...FOUNDRY_SUITES,
  ...CAST_RPC_SUITES,
  ...WALLET_SUITES,
  ...OPENZEPPELIN_SUITES,
];

/**
 * Runs each suite on a fresh chain of each kind. The tests that pass on this chain must be those in
 * docs/client-tools.md.
 */
describe("test suites", function () {
  this.timeout(3_600_000);
  const table: Record<string, Record<string, string>> = {};
  after(() => console.table(table));

  it("call every method for tools", () => {
    const uncalled = TOOL_METHODS.filter((method) => callersOf(DOCUMENT, method).length === 0);
    assert.deepEqual(uncalled, []);
  });

  for (const suite of SUITES) {
    if (suite.missing !== undefined) it.skip(`${suite.name}: needs ${suite.missing}, not installed here`);
    else it(`${suite.name}: passes, except for what is documented`, () => compare(suite, table));
  }
});

async function compare(suite: Suite, table: Record<string, Record<string, string>>): Promise<void> {
  const row: Record<string, string> = (table[suite.name] = {});
  const documented = documentedSuite(DOCUMENT, suite.name);
  for (const chain of SUITE_CHAINS) {
    if (suite.chains?.includes(chain.name) === false) continue;
    const run = chain.name === "Cambium" && !suite.name.startsWith("OpenZeppelin") ? recordedRun(suite) : suite.run;
    const report = await withChain(chain, (url) => run(url)).catch((error: Error) => {
      if (chain.name === "Cambium") throw error;
      return { passed: [], failed: [{ test: "all", why: error.message }] };
    });
    row[chain.name] = `${report.passed.length} of ${report.passed.length + report.failed.length}`;
    if (chain.name === "Cambium") requireDocumented(report, documented);
    else explain(report, chain.name);
  }
}

/** Runs a suite, which must call exactly the methods that the document lists for it. */
function recordedRun(suite: Suite): Suite["run"] {
  return async (url) => {
    const { result, methods } = await recorded(url, (recorder) => suite.run(recorder));
    requireDocumentedMethods(DOCUMENT, suite.name, methods);
    return result;
  };
}

function requireDocumented({ passed, failed }: SuiteReport, documented: DocumentedSuite): void {
  const why = failed.map(({ test, why }) => `${test}: ${why}`).join("\n");
  assert.deepEqual(failed.map(({ test }) => test).toSorted(), documented.failed, why);
  assert.equal(passed.length, documented.passed, "tests that pass");
}

function explain({ failed }: SuiteReport, chain: string): void {
  for (const { test, why } of failed) console.log(`      ${chain}: ${test}: ${why.split("\n")[0]}`);
}
