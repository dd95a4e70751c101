import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RunningNode, startNode } from "@cambium/test-utils/node-cli";
import { recorded, requireDocumentedMethods } from "./suites/tool-methods.js";
import { prepareChain } from "./tours/chain.js";
import { isInstalled, runIn } from "./tours/commands.js";
import { LIBRARY_TOURS, type LibraryTour } from "./tours/libraries.js";
import { documentedFailures, documentedReport, parseReport, sorted } from "./tours/report.js";

const TOOLS = fileURLToPath(new URL(".", import.meta.url));
const DOCUMENT = readFileSync(new URL("../../docs/client-tools.md", import.meta.url), "utf8");

const MODES = ["development", "specification", "deployed"] as const;
type Mode = (typeof MODES)[number];

/** Calls every public method of each client library, unmodified. Each tour prints a line per method. */
describe("tours through client libraries", function () {
  this.timeout(3_600_000);
  for (const library of LIBRARY_TOURS) {
    const missing = library.needs.filter((command) => !isInstalled(command));
    if (missing.length > 0) it.skip(`${library.name}: needs ${missing.join(", ")}, not installed here`);
    else {
      for (const mode of MODES) {
        it(`${library.name} (${mode}): all methods pass, except those documented`, () => visit(library, mode));
      }
    }
  }
});

async function visit(library: LibraryTour, mode: Mode): Promise<void> {
  const folder = join(TOOLS, library.folder);
  const build = join(TOOLS, "build", library.folder);
  mkdirSync(build, { recursive: true });
  const command = (parts: readonly string[]) => parts.map((part) => part.replaceAll("{build}", build));
  for (const step of library.prepare) await runIn(folder, command(step));
  const { passed, failed, notApplicable } = await withNode(mode, async (node) => {
    const chain = await prepareChain(node);
    const { result: output, methods } = await recorded(node.url, (url) =>
      runIn(folder, command(library.run), { TOUR_CHAIN: JSON.stringify({ ...chain, url }) }),
    );
    requireDocumentedMethods(DOCUMENT, library.name, methods);
    console.log(output.trimEnd().replaceAll(/^/gm, "      "));
    return parseReport(output);
  });
  assert.deepEqual(failed.map(({ method }) => method).toSorted(), documentedFailures(DOCUMENT, library.name, mode));
  const documented = documentedReport(DOCUMENT, library.name);
  assert.deepEqual(sorted(notApplicable), sorted(documented.notApplicable));
  assert.equal(passed.length, documented.passed - failed.length);
}

/** A node of the local network for one tour. */
async function withNode<T>(mode: Mode, use: (node: RunningNode) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "cambium-tools-"));
  const node = await startNode("--network", "local", "--mine", "--rpc.compatibility", mode, "--data-dir", folder);
  try {
    return await use(node);
  } finally {
    await node.stop();
    rmSync(folder, { recursive: true });
  }
}
