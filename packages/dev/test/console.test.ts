import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { COUNTER_ABI, COUNTER_CODE } from "@cambium/test-utils/counter-contract";
import { withFolder } from "@cambium/test-utils/node-cli";
import { Interface } from "ethers";
import { lineOf } from "../src/console/console-line.js";
import { type DevelopmentChain, startDevelopmentChain } from "../src/development-chain.js";

const COUNTER = new Interface(COUNTER_ABI);
const HASH = "0x[0-9a-f]{4}…";

/** Any JSON value. */
type Json = ReturnType<typeof JSON.parse>;

async function call(chain: DevelopmentChain, method: string, own: object, ...others: unknown[]): Promise<Json> {
  const params = [{ from: chain.accounts[0]!.address, ...own }, ...others];
  return chain.provider.request({ method, params });
}

async function deploy(chain: DevelopmentChain): Promise<string> {
  const hash = await call(chain, "eth_sendTransaction", { data: COUNTER_CODE });
  const receipt = (await chain.provider.request({ method: "eth_getTransactionReceipt", params: [hash] })) as Json;
  return receipt.contractAddress;
}

/** Returns the output of a chain that knows the artifacts, while `use` runs. */
async function printed(
  artifacts: Readonly<Record<string, object>>,
  use: (chain: DevelopmentChain) => Promise<unknown>,
) {
  const lines: string[] = [];
  await withFolder(async (folder) => {
    for (const [name, content] of Object.entries(artifacts)) {
      writeFileSync(join(folder, `${name}.json`), JSON.stringify(content));
    }
    const chain = await startDevelopmentChain({ abi: [folder], print: (line) => lines.push(line) });
    try {
      await use(chain);
    } finally {
      await chain.stop();
    }
  });
  return lines;
}

/** The code of a deployed counter. */
async function deployedCode(): Promise<string> {
  const chain = await startDevelopmentChain();
  try {
    const address = await deploy(chain);
    return (await chain.provider.request({ method: "eth_getCode", params: [address, "latest"] })) as string;
  } finally {
    await chain.stop();
  }
}

describe("the console", () => {
  it("names contracts by their code, with arguments, events and errors", async () => {
    const deployedBytecode = await deployedCode();
    const use = async (chain: DevelopmentChain) => {
      const to = await deploy(chain);
      const add = (amount: number) => ({ to, data: COUNTER.encodeFunctionData("add", [amount]), gas: "0x30d40" });
      await call(chain, "eth_sendTransaction", add(42));
      await assert.rejects(call(chain, "eth_sendTransaction", add(420)));
      await assert.rejects(call(chain, "eth_call", add(421), "latest"));
      const { gas: _, ...estimated } = add(422);
      await assert.rejects(call(chain, "eth_sendTransaction", estimated));
    };
    const hardhat = { contractName: "Counter", abi: COUNTER_ABI, bytecode: COUNTER_CODE, deployedBytecode };
    const foundry = {
      abi: COUNTER_ABI,
      bytecode: { object: COUNTER_CODE },
      deployedBytecode: { object: deployedBytecode },
    };
    const forms: Record<string, object>[] = [{ Other: hardhat }, { Counter: foundry }];
    for (const artifacts of forms) {
      const lines = await printed(artifacts, use);
      const expected = [
        `✓ creates Counter at 0x5FbD…  \\d+ \\d{3} gas  ${HASH}`,
        `✓ Counter\\.add\\(42\\)  \\d+ \\d{3} gas  Added\\(42\\)  ${HASH}`,
        `✗ Counter\\.add\\(420\\)  "too much"  ${HASH}`,
        '✗ Counter\\.add\\(421\\)  "too much"  eth_call',
        '✗ Counter\\.add\\(422\\)  "too much"  eth_sendTransaction',
      ];
      assert.equal(lines.length, expected.length, lines.join("\n"));
      for (const [i, line] of expected.entries()) assert.match(lines[i]!, new RegExp(`^${line}$`));
    }
  });

  it("writes lines of at most 120 columns, in colour on a terminal only", () => {
    const style = { hasColour: false, isVerbose: false };
    const parts = {
      isSuccess: true,
      what: "Counter.add(42)",
      gas: 43_590,
      result: "Added(0xf39F…, 42)",
      origin: "0x5c1a…",
    };
    assert.equal(lineOf(parts, style), "✓ Counter.add(42)  43 590 gas  Added(0xf39F…, 42)  0x5c1a…");
    const coloured = lineOf({ ...parts, isSuccess: false }, { ...style, hasColour: true });
    assert(coloured.startsWith("\x1b[31m✗\x1b[0m Counter.add(42)  "), coloured);
    for (const [what, result] of [
      ["w".repeat(300), "r".repeat(300)],
      ["w".repeat(300), ""],
      ["w", "r".repeat(300)],
      ["w".repeat(300), "r"],
    ]) {
      const line = lineOf({ ...parts, what: what!, result: result! }, style);
      assert.equal(line.length, 120, line);
      assert(line.endsWith("0x5c1a…") && line.includes("43 590 gas"), line);
    }
  });
});
