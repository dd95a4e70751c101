import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { RpcClient } from "@cambium/test-utils/rpc-client";
import { runTool } from "../command.js";
import { isInstalled } from "../tours/commands.js";
import { toolPath } from "./chains.js";
import { copyProject } from "./project.js";
import { type NamedTest, reportOf, type Suite, type SuiteReport } from "./suite.js";

const SOLC = fileURLToPath(new URL("solc.mjs", import.meta.url));
/** Key of the first account on all development chains. */
const KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const SENDER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const OTHER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

let folder: string | undefined;

/** Foundry's tools in a copy of the project, against one chain. */
class Foundry {
  private readonly cwd = (folder ??= copyProject("foundry"));

  constructor(
    private readonly url: string,
    private readonly env: NodeJS.ProcessEnv = {},
  ) {}

  forge(command: string, ...args: string[]): Promise<string> {
    return this.run("forge", [command, ...args]);
  }

  cast(command: string, ...args: string[]): Promise<string> {
    return this.run("cast", [command, "--rpc-url", this.url, ...args]);
  }

  /** Returns the receipt of a transaction of `cast send`. */
  async send(...args: string[]) {
    return JSON.parse(await this.cast("send", "--json", "--private-key", KEY, ...args));
  }

  /** Address of a new counter with 7 wei. */
  async create(...args: string[]): Promise<string> {
    const keys = ["--private-key", KEY, "--rpc-url", this.url, "--broadcast", "--json", ...args];
    const text = await this.forge(
      "create",
      "src/Counter.sol:Counter",
      ...keys,
      "--value",
      "7",
      "--constructor-args",
      "0",
    );
    return JSON.parse(text.slice(text.indexOf("{"))).deployedTo;
  }

  private run(tool: string, args: readonly string[]): Promise<string> {
    return runTool(tool, args, {
      cwd: this.cwd,
      env: { ...this.env, FOUNDRY_SOLC: SOLC, FOUNDRY_DISABLE_NIGHTLY_WARNING: "true" },
    });
  }
}

type ForgeReport = Record<string, { test_results: Record<string, { status: string; reason: string | null }> }>;

/** `forge test` on top of a chain on which a counter was deployed, whose number is 42. */
async function forkTests(url: string): Promise<SuiteReport> {
  const rpc = new RpcClient(url);
  const plain = new Foundry(url);
  const deployed = await plain.create("--legacy");
  const deployedAt = await rpc.call("eth_blockNumber");
  await plain.send("--legacy", deployed, "add(uint256)", "42");
  const foundry = new Foundry(url, {
    NODE_URL: url,
    DEPLOYED: deployed,
    DEPLOYED_AT: deployedAt,
    CHAIN_ID: await rpc.call("eth_chainId"),
    SENDER,
    STORAGE_QUERY: JSON.stringify([deployed, "0x0", "latest"]),
  });
  // The command fails if a test does; the report exists regardless.
  const output = await foundry.forge("test", "--json", "--fork-url", url).catch(String);
  const results = JSON.parse(output.slice(output.indexOf("{"), output.lastIndexOf("}") + 1)) as ForgeReport;
  const tests = Object.values(results).flatMap(({ test_results }) => Object.entries(test_results));
  return {
    passed: tests.filter(([, { status }]) => status === "Success").map(([test]) => test),
    failed: tests
      .filter(([, { status }]) => status !== "Success")
      .map(([test, { reason }]) => ({ test, why: reason ?? "" })),
  };
}

/** Returns tests of commands that projects call from scripts. */
function commands(foundry: Foundry, url: string): NamedTest[] {
  const withKey = ["--private-key", KEY];
  const script = ["script/Deploy.s.sol", "--rpc-url", url, "--broadcast"];
  const balance = async (address: string) => BigInt(await foundry.cast("balance", address));
  const earn = async (send: () => Promise<{ status: string }>) => {
    const before = await balance(OTHER);
    assert.equal((await send()).status, "0x1");
    assert.equal(await balance(OTHER), before + 3n);
  };
  const deploy = async (...flags: string[]) => {
    const output = await foundry.forge("script", ...script, ...flags);
    assert.match(output, /ONCHAIN EXECUTION COMPLETE & SUCCESSFUL/);
    const address = output.match(/counter: contract Counter (0x[0-9a-fA-F]{40})/)![1]!;
    assert.equal(await foundry.cast("call", address, "number()(uint256)"), "50");
  };
  const create = async (...flags: string[]) => {
    assert.equal(await foundry.cast("call", await foundry.create(...flags), "owner()(address)"), SENDER);
  };
  return [
    ["forge create --legacy", () => create("--legacy")],
    ["forge create", () => create()],
    ["forge script --broadcast --legacy", () => deploy("--legacy")],
    ["forge script --broadcast", () => deploy()],
    ["forge script --broadcast --slow --legacy", () => deploy("--slow", "--legacy")],
    ["cast send --legacy", () => earn(() => foundry.send("--legacy", "--value", "3", OTHER))],
    ["cast send", () => earn(() => foundry.send("--value", "3", OTHER))],
    [
      "cast send --unlocked --legacy",
      () =>
        earn(async () => {
          const args = ["--legacy", "--unlocked", "--from", SENDER, "--value", "3", OTHER];
          return JSON.parse(await foundry.cast("send", "--json", ...args));
        }),
    ],
    [
      "cast publish of cast mktx --legacy",
      () =>
        earn(async () => {
          const raw = await foundry.cast("mktx", "--legacy", ...withKey, "--value", "3", OTHER);
          return JSON.parse(await foundry.cast("publish", raw));
        }),
    ],
    [
      "cast call --trace",
      async () => {
        // The names come from the project, not from a cache of the user.
        const flags = ["--trace", "--with-local-artifacts"];
        const trace = await foundry.cast("call", ...flags, await foundry.create("--legacy"), "add(uint256)", "5");
        assert.match(trace, /add\(5\)[\s\S]*emit Changed/);
      },
    ],
    [
      "cast run",
      async () => {
        const { transactionHash } = await foundry.send(
          "--legacy",
          await foundry.create("--legacy"),
          "add(uint256)",
          "5",
        );
        assert.match(await foundry.cast("run", "--quick", transactionHash), /Transaction successfully executed/);
      },
    ],
    [
      "cast estimate",
      async () => {
        assert.equal(await foundry.cast("estimate", "--from", SENDER, "--value", "3", OTHER), "21000");
      },
    ],
    [
      "cast storage, code, codesize, nonce, proof",
      async () => {
        const counter = await foundry.create("--legacy");
        await foundry.send("--legacy", counter, "add(uint256)", "42");
        assert.equal(BigInt(await foundry.cast("storage", counter, "0")), 42n);
        const code = await foundry.cast("code", counter);
        assert.equal(Number(await foundry.cast("codesize", counter)), code.length / 2 - 1);
        assert(Number(await foundry.cast("nonce", SENDER)) > 0);
        assert.equal(BigInt(JSON.parse(await foundry.cast("proof", counter, "0")).storageProof[0].value), 42n);
      },
    ],
    [
      "cast rpc: impersonation, balance, mining",
      async () => {
        const address = "0x00000000000000000000000000000000000b0b00";
        await foundry.cast("rpc", "anvil_setBalance", address, "0xde0b6b3a7640000");
        await foundry.cast("rpc", "anvil_impersonateAccount", address);
        const args = ["--legacy", "--unlocked", "--from", address, "--value", "3", OTHER];
        await earn(async () => JSON.parse(await foundry.cast("send", "--json", ...args)));
        const before = Number(await foundry.cast("block-number"));
        await foundry.cast("rpc", "anvil_mine", "0x5");
        assert.equal(Number(await foundry.cast("block-number")), before + 5);
      },
    ],
    [
      "cast rpc: snapshot and clock",
      async () => {
        const id = JSON.parse(await foundry.cast("rpc", "evm_snapshot"));
        const before = await balance(OTHER);
        await foundry.send("--legacy", "--value", "3", OTHER);
        assert.equal(await foundry.cast("rpc", "evm_revert", id), "true");
        assert.equal(await balance(OTHER), before);
        const time = Number(await foundry.cast("block", "latest", "--field", "timestamp"));
        await foundry.cast("rpc", "evm_increaseTime", "1000");
        await foundry.cast("rpc", "evm_mine");
        assert(Number(await foundry.cast("block", "latest", "--field", "timestamp")) >= time + 1000);
      },
    ],
  ];
}

const missing = isInstalled(toolPath("forge")) && isInstalled(toolPath("cast")) ? undefined : "Foundry";

/** A Foundry project: tests on top of a chain, and typical work of its scripts. */
export const FOUNDRY_SUITES: readonly Suite[] = [
  { name: "forge test --fork-url", missing, run: forkTests },
  { name: "forge and cast", missing, run: (url) => reportOf(commands(new Foundry(url, { KEY }), url)) },
];
