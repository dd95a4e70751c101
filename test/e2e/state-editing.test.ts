import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { type RunningNode, runCli, startNode } from "@cambium/test-utils/node-cli";
import { RpcClient } from "@cambium/test-utils/rpc-client";

const ACCOUNT = `0x${"ab".repeat(20)}`;
const CONTRACT = `0x${"cd".repeat(20)}`;
const word = (value: number | bigint) => `0x${value.toString(16).padStart(64, "0")}`;
/** Code that returns the cell with the number in its call data. It writes call data of 64 bytes as cell and value. */
const CODE = "0x36604014600f57600035545f5260205ff35b60203560003555";

/** Tests changes of the state by development tools, which come in separate blocks. */
describe("changes of the state", () => {
  const folders: string[] = [];
  const folder = () => {
    const made = mkdtempSync(join(tmpdir(), "cambium-edits-"));
    folders.push(made);
    return made;
  };
  let data: string;
  let node: RunningNode;
  let rpc: RpcClient;

  before(async () => {
    data = folder();
    node = await startNode("--network", "local", "--data-dir", data, "--mine");
    rpc = new RpcClient(node.url);
  });
  after(async () => {
    await node.stop();
    for (const one of folders) rmSync(one, { recursive: true });
  });

  const balance = (address = ACCOUNT) => rpc.call("eth_getBalance", address, "latest");
  const nonce = async (address = ACCOUNT) => Number(await rpc.call("eth_getTransactionCount", address, "latest"));
  const cell = (slot: string, address = CONTRACT) => rpc.call("eth_getStorageAt", address, slot, "latest");

  it("set balances, nonces, code and cells", async () => {
    const { timestamp } = await rpc.call("eth_getBlockByNumber", "latest");
    assert.equal(await rpc.call("hardhat_setBalance", ACCOUNT, "0xde0b6b3a7640000"), true);
    assert.equal(await balance(), "0xde0b6b3a7640000");
    assert.equal(await rpc.call("anvil_setBalance", ACCOUNT, "0x0"), null);
    assert.equal(await balance(), "0x0");
    const most = `0x${"f".repeat(64)}`;
    await rpc.call("hardhat_setBalance", ACCOUNT, most);
    assert.equal(await balance(), most);

    assert.equal(await rpc.call("hardhat_setNonce", ACCOUNT, "0x10"), true);
    assert.equal(await nonce(), 16);
    await assert.rejects(rpc.call("hardhat_setNonce", ACCOUNT, "0xf"), {
      code: -32602,
      message: "New nonce (15) must not be smaller than the existing nonce (16)",
    });
    assert.equal(await rpc.call("anvil_setNonce", ACCOUNT, "0x2"), null);
    assert.equal(await nonce(), 2);

    assert.equal(await rpc.call("hardhat_setStorageAt", CONTRACT, "0x5", word(42)), true);
    assert.equal(await rpc.call("hardhat_setCode", CONTRACT, CODE), true);
    assert.equal(await rpc.call("eth_getCode", CONTRACT, "latest"), CODE);
    assert.equal(await rpc.call("eth_call", { to: CONTRACT, data: word(5) }, "latest"), word(42));
    assert.equal(await rpc.call("anvil_setStorageAt", CONTRACT, word(7), word(2n ** 255n)), true);
    assert.equal(await rpc.call("eth_call", { to: CONTRACT, data: word(7) }, "latest"), word(2n ** 255n));
    await rpc.call("hardhat_setStorageAt", CONTRACT, "0x5", word(0));
    assert.equal(BigInt(await cell("0x5")), 0n);
    assert.equal(await rpc.call("anvil_setCode", CONTRACT, "0x"), null);
    assert.equal(await rpc.call("eth_getCode", CONTRACT, "latest"), "0x");
    assert.equal(await cell("0x7"), word(2n ** 255n), "code is removed, cells stay");
    await rpc.call("hardhat_setCode", CONTRACT, CODE);

    const latest = await rpc.call("eth_getBlockByNumber", "latest", true);
    assert.equal(latest.timestamp, timestamp, "the clock does not move");
    const [edit] = latest.transactions;
    assert.equal(Buffer.from(edit.to.slice(2), "hex").toString(), "cambium state editor");
    const receipt = await rpc.call("eth_getTransactionReceipt", edit.hash);
    assert.deepEqual([receipt.status, receipt.gasUsed, receipt.from], ["0x1", "0x0", edit.from]);
  });

  it("take effect although blocks have a minimum gas price, and are undone by a revert", async () => {
    await rpc.call("hardhat_setMinGasPrice", "0x3b9aca00");
    const id = await rpc.call("evm_snapshot");
    await rpc.call("hardhat_setBalance", ACCOUNT, "0x1");
    assert.equal(await balance(), "0x1");
    assert.equal((await rpc.call("eth_getBlockByNumber", "latest")).minimumGasPrice, "0x3b9aca00");
    assert.equal(await rpc.call("evm_revert", id), true);
    assert.notEqual(await balance(), "0x1");
    await rpc.call("hardhat_setMinGasPrice", "0x0");
  });

  it("move pending transactions with the nonce of their account", async () => {
    const [from] = await rpc.call("eth_accounts");
    const start = await nonce(from);
    await rpc.call("evm_setAutomine", false);
    const request = { from, to: ACCOUNT, gas: "0x5208", value: "0x0" };
    const late = await rpc.call("eth_sendTransaction", { ...request, nonce: `0x${(start + 5).toString(16)}` });
    await rpc.call("eth_sendTransaction", request);
    assert.deepEqual(await rpc.call("txpool_status"), { pending: 1, queued: 1 });
    await rpc.call("hardhat_setNonce", from, `0x${(start + 5).toString(16)}`);
    assert.deepEqual(await rpc.call("txpool_status"), { pending: 1, queued: 0 });
    await rpc.call("evm_mine");
    assert.equal((await rpc.call("eth_getTransactionReceipt", late)).status, "0x1");
    await rpc.call("evm_setAutomine", true);
  });

  it("dump and load whole states, also Anvil's", async () => {
    const dump: string = await rpc.call("anvil_dumpState");
    const { accounts } = JSON.parse(gunzipSync(Buffer.from(dump.slice(2), "hex")).toString());
    assert.equal(accounts[CONTRACT].code, CODE);
    await rpc.call("hardhat_setBalance", ACCOUNT, "0x5");
    await rpc.call("hardhat_setStorageAt", CONTRACT, "0x9", word(9));
    assert.equal(await rpc.call("anvil_loadState", dump), true);
    assert.equal(await balance(), accounts[ACCOUNT].balance);
    assert.equal(BigInt(await cell("0x9")), 0n, "accounts are replaced");
    assert.equal(await cell("0x7"), word(2n ** 255n));
    const again = await rpc.call("hardhat_dumpState");
    assert.deepEqual(JSON.parse(gunzipSync(Buffer.from(again.slice(2), "hex")).toString()).accounts, accounts);

    const storage = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [word(i), word(i + 1)]));
    const foreign = {
      accounts: { [ACCOUNT]: { nonce: 3, balance: "0x2", code: CODE, storage } },
      block: {},
      blocks: [],
    };
    const before = Number(await rpc.call("eth_blockNumber"));
    await rpc.call("anvil_loadState", `0x${gzipSync(JSON.stringify(foreign)).toString("hex")}`);
    assert(Number(await rpc.call("eth_blockNumber")) > before + 1, "a large state takes several blocks");
    assert.equal(await cell(word(4999), ACCOUNT), word(5000));
    assert.equal(await nonce(), 3);
    await assert.rejects(rpc.call("anvil_loadState", "0x00"), { code: -32602, message: /^Invalid state/ });
  });

  it("survive export, import and a check", async () => {
    const { hash: best, number } = await rpc.call("eth_getBlockByNumber", "latest");
    assert.equal(await node.stop(), 0);
    const file = join(folder(), "blocks");
    const copy = folder();
    const local = ["--network", "local", "--data-dir"];
    for (const command of [
      ["export", "--from", "1", "--to", String(Number(number)), file, ...local, data],
      ["import", file, ...local, copy],
      ["db", "check", ...local, copy],
      ["db", "check", ...local, data],
    ]) {
      const { status, stderr } = await runCli(...command);
      assert.equal(status, 0, `${command.join(" ")}: ${stderr}`);
    }
    node = await startNode(...local, copy);
    rpc = new RpcClient(node.url);
    assert.equal((await rpc.call("eth_getBlockByNumber", "latest")).hash, best);
    const traced = await rpc.call("debug_traceBlockByNumber", "latest", { tracer: "callTracer" });
    assert.equal(traced.length, (await rpc.call("eth_getBlockByNumber", "latest")).transactions.length);
  });
});
