import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COUNTER_ABI, COUNTER_CODE } from "@cambium/test-utils/counter-contract";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { type RunningNode, startNode } from "@cambium/test-utils/node-cli";
import { RpcClient } from "@cambium/test-utils/rpc-client";
import { runTool } from "./command.js";

/**
 * Tests Hardhat with its ethers plug-in, unmodified. Its contract is precompiled, because compilers are not always
 * available.
 */
describe("hardhat", function () {
  this.timeout(120_000);
  let folder: string;
  let node: RunningNode;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-tools-"));
    writeArtifact(join(folder, "artifacts"));
    node = await startNode("--network", "local", "--mine", "--data-dir", join(folder, "data"));
  });
  after(async () => {
    assert.equal(await node.stop(), 0);
    rmSync(folder, { recursive: true });
  });

  it("runs a script that deploys, calls, sends, waits, finds logs and reverts", async () => {
    const { address, privateKey } = DEVELOPERS[0]!;
    const output = await runTool("hardhat", ["run", "--no-compile", "--network", "cambium", "tour.cjs"], {
      cwd: new URL("hardhat", import.meta.url).pathname,
      env: {
        NODE_URL: node.url,
        PRIVATE_KEY: privateKey,
        ARTIFACTS: join(folder, "artifacts"),
        HARDHAT_DISABLE_TELEMETRY_PROMPT: "true",
      },
    });
    const { counter, signer } = JSON.parse(output);
    assert.equal(signer, address);
    const code: string = await new RpcClient(node.url).call("eth_getCode", counter, "latest");
    assert(COUNTER_CODE.endsWith(code.slice(2)));
  });
});

/** The compiler's output for a contract `Counter`. */
function writeArtifact(artifacts: string): void {
  const folder = join(artifacts, "contracts", "Counter.sol");
  mkdirSync(folder, { recursive: true });
  const names = { _format: "hh-sol-artifact-1", contractName: "Counter", sourceName: "contracts/Counter.sol" };
  const code = { abi: COUNTER_ABI, bytecode: COUNTER_CODE, deployedBytecode: "0x" };
  const links = { linkReferences: {}, deployedLinkReferences: {} };
  writeFileSync(join(folder, "Counter.json"), JSON.stringify({ ...names, ...code, ...links }));
}
