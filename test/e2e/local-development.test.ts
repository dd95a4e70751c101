import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COUNTER_ABI, COUNTER_CODE, TOO_MUCH } from "@cambium/test-utils/counter-contract";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { type RunningNode, runCli, startNode } from "@cambium/test-utils/node-cli";
import { RpcClient, until } from "@cambium/test-utils/rpc-client";
import { Contract, ContractFactory, getCreateAddress, id, JsonRpcProvider, parseEther, Wallet } from "ethers";
import { createPublicClient, createWalletClient, defineChain, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";

/** Tests typical work of a developer on a local chain, with unmodified libraries. */
describe("start --network local --mine", () => {
  let folder: string;
  let node: RunningNode;
  let rpc: RpcClient;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-e2e-"));
    node = await startNode("--network", "local", "--data-dir", folder, "--mine");
    rpc = new RpcClient(node.url);
  });
  after(async () => {
    assert.equal(await node.stop(), 0);
    rmSync(folder, { recursive: true });
  });

  it("prints accounts with their keys", () => {
    for (const { address, privateKey } of DEVELOPERS) {
      assert(node.greeting.toLowerCase().includes(`${address.toLowerCase()}  ${privateKey}`), address);
    }
  });

  it("serves ethers: deploy, send, wait, call, logs, failures", async () => {
    // The library caches responses, including nonces, for a quarter of a second, in which several blocks may be mined.
    const provider = new JsonRpcProvider(node.url, undefined, { cacheTimeout: -1 });
    const wallet = new Wallet(DEVELOPERS[0]!.privateKey, provider);
    const deployed = await new ContractFactory(COUNTER_ABI, COUNTER_CODE, wallet).deploy();
    await deployed.waitForDeployment();
    const counter = new Contract(await deployed.getAddress(), COUNTER_ABI, wallet);
    for (const amount of [5, 37]) {
      const receipt = await (await counter.add!(amount)).wait();
      assert.equal(receipt.status, 1);
    }
    assert.equal(await counter.total!(), 42n);
    const events = await counter.queryFilter("Added", 0);
    assert.deepEqual(
      events.map((event) => "args" in event && event.args.total),
      [5n, 42n],
    );
    await assert.rejects(counter.add!.staticCall(101), { code: "CALL_EXCEPTION", reason: TOO_MUCH });
    await assert.rejects(counter.add!(101), { code: "CALL_EXCEPTION", reason: TOO_MUCH });
    // An explicit gas limit prevents the estimate, so the failing transaction is sent and mined.
    const sent = () => rpc.call("eth_getTransactionCount", wallet.address);
    const before = Number(await sent());
    await assert.rejects(counter.add!(101, { gasLimit: 100_000 }), /too much/);
    assert.equal(Number(await sent()), before + 1);
    provider.destroy();
  });

  it("serves ethers with an account of the node", async () => {
    const provider = new JsonRpcProvider(node.url);
    const signer = await provider.getSigner(3);
    assert.equal(await signer.getAddress(), DEVELOPERS[3]!.address);
    const to = Wallet.createRandom().address;
    const sent = await signer.sendTransaction({ to, value: parseEther("1.5") });
    assert.equal((await sent.wait())?.status, 1);
    assert.equal(await provider.getBalance(to), parseEther("1.5"));
    const signature = await signer._legacySignMessage("hello");
    assert.equal(signature, await DEVELOPERS[3]!.signMessage("hello"));
    provider.destroy();
  });

  it("serves viem: deploy, send, wait, call, logs, failures", async () => {
    const chain = chainOf(node.url);
    const account = privateKeyToAccount(DEVELOPERS[1]!.privateKey as `0x${string}`);
    const wallet = createWalletClient({ chain, account, transport: http() });
    const reader = createPublicClient({ chain, transport: http(), pollingInterval: 50 });
    const deployment = await wallet.deployContract({ abi: COUNTER_ABI, bytecode: COUNTER_CODE });
    const { contractAddress } = await reader.waitForTransactionReceipt({ hash: deployment });
    const counter = { abi: COUNTER_ABI, address: contractAddress! };
    const hash = await wallet.writeContract({ ...counter, functionName: "add", args: [7n] });
    const receipt = await reader.waitForTransactionReceipt({ hash });
    assert.equal(receipt.status, "success");
    assert.equal(await reader.readContract({ ...counter, functionName: "total" }), 7n);
    const events = await reader.getContractEvents({ ...counter, eventName: "Added", fromBlock: 0n });
    assert.deepEqual(
      events.map(({ args }) => args.total),
      [7n],
    );
    const tooMuch = wallet.writeContract({ ...counter, functionName: "add", args: [101n], gas: 100_000n });
    await assert.rejects(tooMuch, (error: Error) => error.message.includes(TOO_MUCH));
  });

  it("serves viem with an account of the node", async () => {
    const chain = chainOf(node.url);
    const wallet = createWalletClient({ chain, transport: http() });
    const reader = createPublicClient({ chain, transport: http(), pollingInterval: 50 });
    const [account] = await wallet.getAddresses();
    const to = Wallet.createRandom().address as `0x${string}`;
    const hash = await wallet.sendTransaction({ account: account!, to, value: 3n });
    await reader.waitForTransactionReceipt({ hash });
    assert.equal(await reader.getBalance({ address: to }), 3n);
  });

  it("accepts many transactions at once, and mines each before it answers", async () => {
    const wallets = DEVELOPERS.slice(5);
    const before = Number(await rpc.call("eth_blockNumber"));
    await Promise.all(
      wallets.map(async (wallet) => {
        const nonce = Number(await rpc.call("eth_getTransactionCount", wallet.address, "pending"));
        const request = { to: wallet.address, nonce, gasLimit: 21_000, gasPrice: 0, chainId: 33, type: 0 };
        const hash = await rpc.call("eth_sendRawTransaction", await wallet.signTransaction(request));
        assert.equal((await rpc.call("eth_getTransactionReceipt", hash)).status, "0x1");
      }),
    );
    assert(Number(await rpc.call("eth_blockNumber")) <= before + wallets.length, "no empty blocks");
  });

  it("mines on demand, moves the clock and reverts", async () => {
    const [, , from, to] = DEVELOPERS.map(({ address }) => address);
    const balance = () => rpc.call("eth_getBalance", to, "latest");
    const before = await balance();
    const height = await rpc.call("eth_blockNumber");
    const snapshot = await rpc.call("evm_snapshot");
    await rpc.call("eth_sendTransaction", { from, to, value: "0x1", gas: "0x5208" });
    assert.equal(BigInt(await balance()), BigInt(before) + 1n);
    assert.equal(await rpc.call("evm_increaseTime", "1000"), "0x3e8");
    assert.equal(await rpc.call("evm_mine"), null);
    const { timestamp } = await rpc.call("eth_getBlockByNumber", "latest");
    assert(Number(timestamp) >= Date.now() / 1000 + 990);
    assert.equal(await rpc.call("evm_revert", snapshot), true);
    assert.equal(await balance(), before);
    assert.equal(await rpc.call("eth_blockNumber"), height);
    assert.equal(await rpc.call("evm_revert", "0x2a"), false);
    // The transfer is repeated: the reverted transactions do not interfere.
    await rpc.call("eth_sendTransaction", { from, to, value: "0x1", gas: "0x5208" });
    assert.equal(BigInt(await balance()), BigInt(before) + 1n);
    assert.equal(await rpc.call("evm_reset"), null);
    assert.equal(await rpc.call("eth_blockNumber"), "0x0");
    assert.equal(await rpc.call("evm_snapshot"), "0x1");
  });

  it("shows whole pending transactions to a filter that asks for them", async () => {
    const [hashes, whole] = [
      await rpc.call("eth_newPendingTransactionFilter"),
      await rpc.call("eth_newPendingTransactionFilter", true),
    ];
    const [from, to] = DEVELOPERS.slice(2, 4).map(({ address }) => address);
    const hash = await rpc.call("eth_sendTransaction", { from, to, value: "0x7" });
    assert.deepEqual(await rpc.call("eth_getFilterChanges", hashes), [hash]);
    const [transaction, ...others] = await rpc.call("eth_getFilterChanges", whole);
    assert.deepEqual([transaction.hash, transaction.value, transaction.blockHash, others], [hash, "0x7", null, []]);
    assert.deepEqual(await rpc.call("eth_getFilterChanges", whole), []);
  });

  it("estimates no more gas for the creation of contracts than a transaction can have, if that suffices", async () => {
    const [from] = await rpc.call("eth_accounts");
    // Code that returns eight bytes of code: CREATE without code, then STOP.
    const factory = { from, data: "0x67600060006000f00060005260086018f3", gas: "0x30d40" };
    const { contractAddress: to } = await rpc.call(
      "eth_getTransactionReceipt",
      await rpc.call("eth_sendTransaction", factory),
    );
    const gas = await rpc.call("eth_estimateGas", { from, to });
    assert.equal(Number(gas), 6_800_000);
    const hash = await rpc.call("eth_sendTransaction", { from, to, gas });
    assert.equal((await rpc.call("eth_getTransactionReceipt", hash)).status, "0x1");
  });

  it("answers an empty payload for a transaction that fails without a revert, as tools expect", async () => {
    const [from] = await rpc.call("eth_accounts");
    const invalid = { from, data: "0xfe", gas: "0x30d40" };
    await assert.rejects(rpc.call("eth_sendTransaction", invalid), { code: -32015, data: "0x" });
  });

  it("answers the hash of a transaction that is queued behind a missing nonce", async () => {
    const [from] = await rpc.call("eth_accounts");
    const request = { from, to: from, gas: "0x5208", nonce: "0x5" };
    const hash = await rpc.call("eth_sendTransaction", request);
    assert.equal(await rpc.call("eth_getTransactionReceipt", hash), null);
    assert.deepEqual(await rpc.call("txpool_status"), { pending: 0, queued: 1 });
  });
});

describe("start --network local --mine.interval", () => {
  it("mines empty blocks too, and keeps accounts across a restart", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cambium-e2e-"));
    const options = ["--network", "local", "--data-dir", folder];
    let node = await startNode(...options, "--mine.interval", "100");
    let rpc = new RpcClient(node.url);
    await until(async () => Number(await rpc.call("eth_blockNumber")) >= 3);
    const account = await rpc.call("personal_newAccount", "secret");
    const [from] = await rpc.call("eth_accounts");
    const hash = await rpc.call("eth_sendTransaction", { from, to: account, value: "0xffffffff", gas: "0x5208" });
    await until(async () => (await rpc.call("eth_getTransactionReceipt", hash)) !== null);
    assert.equal(await node.stop(), 0);

    node = await startNode(...options);
    rpc = new RpcClient(node.url);
    const height = await rpc.call("eth_blockNumber");
    const request = { from: account, to: from, gas: "0x5208" };
    const missing = `Could not find account for address: ${account}`;
    await assert.rejects(rpc.call("eth_sendTransaction", request), { code: -32602, message: missing });
    assert.equal(await rpc.call("personal_unlockAccount", account, "wrong", "0x3e8"), false);
    assert.equal(await rpc.call("personal_unlockAccount", account, "secret", ""), true);
    // Unlocking derives a key, which takes as long as several blocks did with `--mine.interval`.
    assert.equal(await rpc.call("eth_blockNumber"), height, "blocks come on demand only");
    const pending = await rpc.call("eth_sendTransaction", request);
    assert.equal(await rpc.call("eth_getTransactionCount", account, "latest"), "0x0");
    assert.equal(await rpc.call("eth_getTransactionCount", account, "pending"), "0x1");
    const found = await rpc.call("eth_getTransactionByHash", pending);
    assert.deepEqual([found.blockHash, found.blockNumber, found.transactionIndex], [null, null, null]);
    const listed = await rpc.call("eth_pendingTransactions");
    assert.deepEqual(listed, [{ ...found, blockHash: `0x${"00".repeat(32)}` }]);
    assert.equal(await node.stop(), 0);

    // The submitted transactions still exist, and are mined once.
    node = await startNode(...options);
    rpc = new RpcClient(node.url);
    assert.equal((await rpc.call("txpool_status")).pending, 1);
    await rpc.call("evm_mine");
    assert.equal((await rpc.call("eth_getTransactionReceipt", pending)).status, "0x1");
    assert.equal(await node.stop(), 0);
    rmSync(folder, { recursive: true });
  });
});

describe("the pending block", () => {
  it("is the block that would be mined next", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cambium-e2e-"));
    const node = await startNode("--network", "local", "--data-dir", folder, "--rpc.modules", "trace");
    const rpc = new RpcClient(node.url);
    const [from, to] = await rpc.call("eth_accounts");
    const contract = getCreateAddress({ from, nonce: 0 });
    const total = { to: contract, data: id("total()").slice(0, 10) };
    const add = { to: contract, data: `${id("add(uint256)").slice(0, 10)}${"5".padStart(64, "0")}` };
    // Code that returns the number of its block.
    const blockNumber = { data: "0x4360005260206000f3" };
    for (const at of ["latest", "pending"]) assert.equal(await rpc.call("eth_call", total, at), "0x");

    await rpc.call("eth_sendTransaction", { from, data: COUNTER_CODE, gas: "0x493e0", gasPrice: "0x5" });
    assert.equal(await rpc.call("eth_call", total, "latest"), "0x");
    assert.equal(BigInt(await rpc.call("eth_call", total, "pending")), 0n);
    await rpc.call("eth_sendTransaction", { from, ...add, gas: "0x186a0", gasPrice: "0x5" });
    assert.equal(BigInt(await rpc.call("eth_call", total, "pending")), 5n);
    assert.equal(BigInt(await rpc.call("eth_call", total, "pending")), 5n);
    assert.equal(BigInt(await rpc.call("eth_call", blockNumber, "latest")), 0n);
    assert.equal(BigInt(await rpc.call("eth_call", blockNumber, "pending")), 1n);
    assert(BigInt(await rpc.call("eth_estimateGas", { from, ...add }, "pending")) > 25_000n);
    const override = { [contract]: { stateDiff: { [`0x${"0".repeat(64)}`]: `0x${"9".padStart(64, "0")}` } } };
    assert.equal(BigInt(await rpc.call("eth_call", total, "pending", override)), 9n);
    assert.equal(BigInt(await rpc.call("eth_call", total, "pending")), 5n, "an override leaves nothing behind");
    assert.equal(BigInt(await rpc.call("eth_getStorageAt", contract, "0x0", "pending")), 5n);
    assert.equal(await rpc.call("eth_getTransactionCount", from, "pending"), "0x2");
    const traced = (await rpc.call("trace_block", "pending")).map((trace: { type: string }) => trace.type);
    assert.deepEqual(traced.slice(0, 3), ["create", "call", "call"]);
    assert.equal(await rpc.call("eth_getBlockTransactionCountByNumber", "pending"), "0x2");
    const value = "0xde0b6b3a7640000";
    const before = BigInt(await rpc.call("eth_getBalance", to, "pending"));
    await rpc.call("eth_sendTransaction", { from, to, value, gas: "0x5208", gasPrice: "0x5" });
    assert.equal(BigInt(await rpc.call("eth_getBalance", to, "pending")), before + BigInt(value));
    assert.equal(BigInt(await rpc.call("eth_getBalance", to, "latest")), before);

    await rpc.call("evm_mine");
    assert.equal(BigInt(await rpc.call("eth_call", total, "latest")), 5n);
    assert.equal(BigInt(await rpc.call("eth_call", blockNumber, "pending")), 2n);
    assert.equal(await node.stop(), 0);
    rmSync(folder, { recursive: true });
  });
});

describe("start", () => {
  it("names the invalid mining option", async () => {
    const invalid = (value: string, option: string) => `invalid value '${value}' for ${option}: expected`;
    const refusals: [string, ...string[]][] = [
      ["--mine requires --network local or dev", "--network", "main", "--mine"],
      ["--mine.interval requires --network local or dev", "--network", "test", "--mine.interval", "5"],
      [
        `${invalid("0", "--mine.interval")} a whole number from 1 to 2147483647`,
        "--network",
        "local",
        "--mine.interval",
        "0",
      ],
      ["--miner.server requires --miner.address on network main", "--network", "main", "--miner.server"],
      [`${invalid("0x12", "--miner.address")} 40 hex digits`, "--network", "local", "--miner.address", "0x12"],
      [
        `${invalid("-1", "--miner.min-gas-price")} a whole number of wei`,
        ...["--network", "local", "--miner.min-gas-price", "-1"],
      ],
    ];
    for (const [message, ...options] of refusals) {
      const { status, stderr } = await runCli("start", "--data-dir", "/nonexistent", ...options);
      assert.deepEqual([status, stderr], [1, `node-cli: ${message}\n`]);
    }
  });
});

function chainOf(url: string) {
  const nativeCurrency = { name: "coin", symbol: "COIN", decimals: 18 };
  return defineChain({ id: 33, name: "local", nativeCurrency, rpcUrls: { default: { http: [url] } } });
}
