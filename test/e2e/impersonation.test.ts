import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningNode, runCli, startNode } from "@cambium/test-utils/node-cli";
import { RpcClient } from "@cambium/test-utils/rpc-client";
import { encodeRlp } from "ethers";

const STRANGER = `0x${"5a".repeat(20)}`;
const ZERO = `0x${"00".repeat(20)}`;
const BRIDGE = "0x0000000000000000000000000000000001000006";
const COIN = "0xde0b6b3a7640000";

/** Tests transactions of accounts whose keys the node lacks. */
describe("impersonated accounts", () => {
  const folders: string[] = [];
  const folder = () => {
    const made = mkdtempSync(join(tmpdir(), "cambium-impersonation-"));
    folders.push(made);
    return made;
  };
  let data: string;
  let node: RunningNode;
  let rpc: RpcClient;

  const start = async (path: string, ...options: string[]) => {
    data = path;
    node = await startNode("--network", "local", "--data-dir", path, ...options);
    rpc = new RpcClient(node.url);
  };
  const send = (from: string, more: object = {}) => {
    return rpc.call("eth_sendTransaction", { from, to: STRANGER, value: "0x1", gas: "0x5208", ...more });
  };

  before(() => start(folder(), "--mine"));
  after(async () => {
    await node.stop();
    for (const one of folders) rmSync(one, { recursive: true });
  });

  it("send transactions, contracts too, until the impersonation ends", async () => {
    const unknown = { code: -32602, message: `Could not find account for address: ${STRANGER}` };
    await assert.rejects(send(STRANGER), unknown);
    assert.equal(await rpc.call("hardhat_impersonateAccount", STRANGER), true);
    assert((await rpc.call("eth_accounts")).includes(STRANGER));
    await rpc.call("hardhat_setBalance", STRANGER, COIN);
    const hash = await send(STRANGER, { to: ZERO, gasPrice: "0x1" });
    const receipt = await rpc.call("eth_getTransactionReceipt", hash);
    assert.deepEqual([receipt.from, receipt.status], [STRANGER, "0x1"]);
    const { from, nonce } = await rpc.call("eth_getTransactionByHash", hash);
    assert.deepEqual([from, nonce], [STRANGER, "0x0"]);
    assert.equal(await rpc.call("eth_getTransactionCount", STRANGER, "latest"), "0x1");

    assert.equal(await rpc.call("anvil_impersonateAccount", BRIDGE), null);
    const paid = await send(BRIDGE, { value: COIN });
    assert.equal((await rpc.call("eth_getTransactionReceipt", paid)).from, BRIDGE);

    assert.equal(await rpc.call("hardhat_stopImpersonatingAccount", STRANGER), true);
    assert.equal(await rpc.call("hardhat_stopImpersonatingAccount", STRANGER), false);
    assert.equal(await rpc.call("anvil_stopImpersonatingAccount", BRIDGE), null);
    await assert.rejects(send(STRANGER), unknown);
    await assert.rejects(rpc.call("eth_signTransaction", { from: STRANGER }), unknown);
    assert.equal(await rpc.call("hardhat_autoImpersonateAccount", true), true);
    await rpc.call("anvil_setBalance", ZERO, COIN);
    assert.equal((await rpc.call("eth_getTransactionReceipt", await send(ZERO))).from, ZERO);
    assert.equal(await rpc.call("anvil_autoImpersonateAccount", false), null);
    await assert.rejects(send(STRANGER), unknown);
    const once = await rpc.call("eth_sendUnsignedTransaction", {
      from: STRANGER,
      to: ZERO,
      value: "0x1",
      gas: "0x5208",
    });
    assert.equal((await rpc.call("eth_getTransactionReceipt", once)).from, STRANGER);
    await assert.rejects(send(STRANGER), unknown);
  });

  it("do not send raw transactions: a marker there is a signature as any other", async () => {
    await rpc.call("hardhat_impersonateAccount", STRANGER);
    const nonce = await rpc.call("eth_getTransactionCount", STRANGER, "latest");
    const r = `0x${Buffer.from("impersonated").toString("hex")}${STRANGER.slice(2)}`;
    const mark = `0x${Buffer.from("cambium: no key signed this").toString("hex")}`;
    const forged = encodeRlp([
      nonce.replace(/^0x0$/, "0x").replace(/^0x(.)$/, "0x0$1"),
      "0x",
      "0x5208",
      ZERO,
      "0x",
      "0x",
      "0x65",
      r,
      mark,
    ]);
    // The pool's message for a signature from which no key can be recovered.
    await assert.rejects(rpc.call("eth_sendRawTransaction", forged), { code: -32602, message: "Invalid chainId: 33" });
    assert.equal(await rpc.call("eth_getTransactionCount", STRANGER, "latest"), nonce);
    await rpc.call("hardhat_stopImpersonatingAccount", STRANGER);
  });

  it("keep their pending transactions across a restart", async () => {
    await rpc.call("hardhat_impersonateAccount", STRANGER);
    await rpc.call("evm_setAutomine", false);
    const hash = await send(STRANGER, { to: ZERO });
    assert.equal((await rpc.call("eth_getTransactionByHash", hash)).from, STRANGER);
    assert.equal(await node.stop(), 0);
    await start(data);
    assert.equal((await rpc.call("eth_getTransactionByHash", hash)).from, STRANGER);
    await rpc.call("evm_mine");
    assert.equal((await rpc.call("eth_getTransactionReceipt", hash)).from, STRANGER);
  });

  it("stay the senders after export and import", async () => {
    const { number, hash } = await rpc.call("eth_getBlockByNumber", "latest");
    assert.equal(await node.stop(), 0);
    const [file, copy] = [join(folder(), "blocks"), folder()];
    const local = ["--network", "local", "--data-dir"];
    for (const command of [
      ["export", "--from", "1", "--to", String(Number(number)), file, ...local, data],
      ["import", file, ...local, copy],
      ["db", "check", ...local, copy],
    ]) {
      const { status, stderr } = await runCli(...command);
      assert.equal(status, 0, `${command.join(" ")}: ${stderr}`);
    }
    await start(copy);
    const latest = await rpc.call("eth_getBlockByNumber", "latest", true);
    assert.equal(latest.hash, hash);
    assert.equal(latest.transactions[0].from, STRANGER);
  });
});
