import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COUNTER_CODE, TOO_MUCH } from "@cambium/test-utils/counter-contract";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { type RunningNode, startNode } from "@cambium/test-utils/node-cli";
import { Wallet } from "ethers";
import { runTool } from "./command.js";

const { privateKey, address: sender } = DEVELOPERS[0]!;

/** Tests Foundry's `cast`, unmodified. `--legacy` because the chain has no typed transactions and no EIP-1559 fees. */
describe("cast", function () {
  this.timeout(60_000);
  let folder: string;
  let node: RunningNode;
  let counter: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-tools-"));
    node = await startNode("--network", "local", "--mine", "--data-dir", folder);
    const receipt = await send("--create", COUNTER_CODE);
    assert.equal(receipt.status, "0x1");
    counter = receipt.contractAddress;
  });
  after(async () => {
    assert.equal(await node.stop(), 0);
    rmSync(folder, { recursive: true });
  });

  const cast = (command: string, ...args: string[]) => runTool("cast", [command, "--rpc-url", node.url, ...args]);
  const send = async (...args: string[]) => {
    return JSON.parse(await cast("send", "--legacy", "--private-key", privateKey, "--json", ...args));
  };
  const total = () => cast("call", counter, "total()(uint256)");

  it("queries the chain, over HTTP and WebSocket", async () => {
    assert.equal(await cast("chain-id"), "33");
    assert.equal(await cast("client"), await cast("rpc", "web3_clientVersion").then(JSON.parse));
    const height = await cast("block-number");
    assert.equal(await runTool("cast", ["block-number", "--rpc-url", node.wsUrl!]), height);
    const block = JSON.parse(await cast("block", "latest", "--json"));
    assert.equal(Number(block.number), Number(height));
    assert.equal(await cast("block", "latest", "--field", "hash"), block.hash);
    assert.equal(await cast("gas-price"), "0");
  });

  it("calls and sends to a contract, and reads the results", async () => {
    assert.equal(await total(), "0");
    const receipt = await send(counter, "add(uint256)", "42");
    assert.equal(receipt.status, "0x1");
    assert.equal(await total(), "42");
    assert.equal(BigInt(await cast("storage", counter, "0")), 42n);
    const [log, ...others] = JSON.parse(await cast("logs", "--json", "--from-block", "0", "Added(uint256)"));
    assert.deepEqual([log.address, BigInt(log.data), others], [counter, 42n, []]);
    assert.equal(log.transactionHash, receipt.transactionHash);
    assert.deepEqual(JSON.parse(await cast("receipt", "--json", receipt.transactionHash)), receipt);
    const transaction = JSON.parse(await cast("tx", "--json", receipt.transactionHash));
    assert.deepEqual([transaction.from, transaction.to], [sender.toLowerCase(), counter]);
    assert.equal(await cast("nonce", sender), "2");
  });

  it("reports why a call fails", async () => {
    const before = await cast("block-number");
    await assert.rejects(cast("call", counter, "add(uint256)", "101"), new RegExp(TOO_MUCH));
    await assert.rejects(send(counter, "add(uint256)", "101"), new RegExp(TOO_MUCH));
    assert.equal(await cast("block-number"), before);
  });

  it("sends coins", async () => {
    const to = Wallet.createRandom().address;
    assert.equal((await send("--value", "1.5ether", to)).gasUsed, "0x5208");
    assert.equal(await cast("balance", "--ether", to), "1.500000000000000000");
  });

  it("reads a proof, and code", async () => {
    const proof = JSON.parse(await cast("proof", counter, "0"));
    const [cell] = proof.storageProof;
    assert.equal(BigInt(cell.value), BigInt(await total()));
    assert(cell.proof.length > proof.accountProof.length);
    assert.equal(await cast("codehash", counter), proof.codeHash);
    assert(COUNTER_CODE.endsWith((await cast("code", counter)).slice(2)));
  });
});
