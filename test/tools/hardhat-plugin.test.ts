import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cambium } from "@cambium/hardhat";
import { installWithNewNode, isNodeNewEnough, NODE, OLDEST_NODE } from "./suites/node-22.js";
import { runIn } from "./tours/commands.js";

const README = readFileSync(new URL("../../packages/hardhat/README.md", import.meta.url), "utf8");
const SUITE = fileURLToPath(new URL("suites/hardhat-3", import.meta.url));
const CONTRACT = fileURLToPath(new URL("../../docs/local-network.md", import.meta.url));
/** Folder below the repository, where `@cambium/hardhat` is found. */
const FOLDER = fileURLToPath(new URL("build/hardhat-plugin", import.meta.url));

/** Files that a text names before their blocks. */
function filesOf(text: string): Map<string, string> {
  const blocks = text.matchAll(/^`([\w./-]+)`[^\n]*:\n\n```\w+\n(.*?)^```$/gms);
  return new Map([...blocks].map(([, path, content]) => [path!, content!]));
}

describe("the plugin for Hardhat 3", function () {
  this.timeout(1_800_000);
  if (!isNodeNewEnough()) {
    it.skip(`needs Node.js ${OLDEST_NODE} (NODE_22), not installed here`);
    return;
  }

  it("runs the tests of its README on a chain in Hardhat's process", async () => {
    const packages = join(SUITE, "node_modules");
    if (!existsSync(join(packages, "@nomicfoundation/hardhat-node-test-runner"))) await installWithNewNode(SUITE);
    rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FOLDER, { recursive: true });
    symlinkSync(packages, join(FOLDER, "node_modules"), "dir");
    cpSync(join(SUITE, "package.json"), join(FOLDER, "package.json"));
    const contract = filesOf(readFileSync(CONTRACT, "utf8")).get("contracts/Counter.sol")!;
    // Hardhat would download the compiler; the test uses the one of npm.
    const compiler = createRequire(join(packages, "x.js")).resolve("solc/soljson.js");
    for (const [path, content] of [...filesOf(README), ["contracts/Counter.sol", contract] as const]) {
      mkdirSync(dirname(join(FOLDER, path)), { recursive: true });
      writeFileSync(join(FOLDER, path), content.replace('"0.8.35",', `"0.8.35", path: ${JSON.stringify(compiler)},`));
    }
    const hardhat = [NODE, "node_modules/hardhat/dist/src/cli.js", "test", "nodejs", "--network", cambium().id];
    const output = await runIn(FOLDER, hardhat, { HARDHAT_DISABLE_TELEMETRY_PROMPT: "true" });
    assert.match(output, /✔ adds/);
    assert.match(output, /1 passing/);
  });
});
