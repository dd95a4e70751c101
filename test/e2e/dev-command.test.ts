import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCli } from "@cambium/test-utils/node-cli";
import { until } from "@cambium/test-utils/rpc-client";
import { getAddress, Interface, WebSocketProvider } from "ethers";
import {
  type Address,
  type BaseError,
  ContractFunctionRevertedError,
  concat,
  createPublicClient,
  encodeErrorResult,
  http,
  parseAbi,
} from "viem";
import { type Dev, startDev } from "./dev-process.js";

/** The first account of the mnemonic that development tools share, and its key. */
const FIRST = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const PRINTER = `0x${"1a".repeat(20)}`;
const REVERTER = `0x${"2b".repeat(20)}`;
/** Code that passes its call data to the console, and reverts with them. */
const PRINTER_CODE = "0x365f5f375f5f365f6a636f6e736f6c652e6c6f675afa5000";
const REVERTER_CODE = "0x365f5f37365ffd";
const CONSOLE = new Interface([
  "function log(string,uint256)",
  "function log(string,address,bool)",
  "function log(int256)",
]);
const ERRORS = new Interface([
  "error Error(string)",
  "error Panic(uint256)",
  "error ERC20InsufficientBalance(address,uint256,uint256)",
  "error Unheard(uint256)",
]);

/** Returns the form of an address or a hash in output lines. */
function short(hex: string): string {
  return `${(hex.length === 42 ? getAddress(hex) : hex).slice(0, 6)}…`;
}

/** Returns the HTTP status of a GET request for a host that the URL does not name. */
function statusOf(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { host } }, (response) => resolve(response.resume().statusCode)).on("error", reject);
  });
}

describe("node-cli dev", () => {
  const folders: string[] = [];
  const running: Dev[] = [];
  const start = async (...options: string[]) => {
    const dev = await startDev(...options);
    running.push(dev);
    return dev;
  };
  const folder = () => {
    const made = mkdtempSync(join(tmpdir(), "cambium-dev-test-"));
    folders.push(made);
    return made;
  };
  after(async () => {
    for (const dev of running) await dev.stop();
    for (const one of folders) rmSync(one, { recursive: true });
  });

  it("says what a developer needs, and serves the pages of this machine only", async () => {
    const { rpc, url, output, stop } = await start();
    await until(async () => output().includes("Ctrl+C"));
    for (const text of [
      "Chain id     33",
      "EVM version  cancun",
      "test test junk",
      `${FIRST}  ${KEY}`,
      "10,000 coins",
    ]) {
      assert(output().includes(text), text);
    }
    assert.equal((await rpc.call("eth_accounts")).length, 10);
    assert.match(await rpc.call("web3_clientVersion"), /^HardhatNetwork\/compatible\/Cambium\/\d/);
    const { timestamp } = await rpc.call("eth_getBlockByNumber", "0x0");
    assert(Math.abs(Number(timestamp) - Date.now() / 1000) < 300, "the clock begins now");
    assert.equal(await rpc.call("eth_getBalance", FIRST, "latest"), "0x21e19e0c9bab2400000");
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "debug_traceBlockByNumber", params: ["0x1"] });
    const ask = (to: string, origin: string) =>
      fetch(to, { method: "POST", headers: { "content-type": "application/json", origin }, body });
    const own = ["http://localhost:3000", "https://127.0.0.1", "chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn"];
    for (const origin of own) {
      const { status, headers } = await ask(url, origin);
      assert.deepEqual([status, headers.get("access-control-allow-origin")], [200, origin]);
    }
    const remix = "https://remix.ethereum.org";
    for (const origin of [remix, "null", "http://192.168.0.1"]) {
      const { status, headers } = await ask(url, origin);
      assert.deepEqual([status, headers.get("access-control-allow-origin")], [403, null]);
    }
    const named = await start("--http.cors", remix, "--http.hosts", "chain.example");
    assert.equal((await ask(named.url, remix)).headers.get("access-control-allow-origin"), remix);
    for (const origin of own) assert.equal((await ask(named.url, origin)).status, 200);
    for (const [host, status] of [
      ["chain.example", 405],
      ["evil.example", 403],
    ] as const) {
      assert.equal(await statusOf(named.url, host), status);
    }
    assert.equal(await named.stop(), 0);
    const provider = new WebSocketProvider(url.replace("http", "ws"));
    assert.equal((await provider.getNetwork()).chainId, 33n);
    await provider.destroy();
    assert.equal(await stop(), 0);
  });

  it("prints what transactions do, why they fail, and what they log", async () => {
    const { rpc, output, stop } = await start();
    const [from, to] = await rpc.call("eth_accounts");
    await rpc.call("hardhat_setCode", PRINTER, PRINTER_CODE);
    await rpc.call("hardhat_setCode", REVERTER, REVERTER_CODE);
    const send = (request: object) => rpc.call("eth_sendTransaction", { from, gas: "0x30d40", ...request });
    const hash = await send({ to, value: "0x1" });
    const printed = () => until(async () => output().includes("the end"));
    await send({ data: "0x00" });
    const print = (signature: string, values: unknown[]) => CONSOLE.encodeFunctionData(signature, values);
    await send({ to: PRINTER, data: print("log(string,uint256)", ["count %d of", 42]) });
    await send({ to: PRINTER, data: print("log(string,address,bool)", ["who", FIRST, true]) });
    await send({ to: PRINTER, data: print("log(int256)", [-5]) });
    const errors: [string, unknown[]][] = [
      ["Error", ["no luck"]],
      ["Panic", [0x11]],
      ["ERC20InsufficientBalance", [FIRST, 5, 10]],
      ["Unheard", [1]],
    ];
    for (const [name, values] of errors) {
      await assert.rejects(send({ to: REVERTER, data: ERRORS.encodeErrorResult(name, values) }));
    }
    const block = await rpc.call("eth_getBlockByNumber", "latest");
    assert.equal(block.transactions.length, 1, "the reward transaction is not shown");
    await send({ to: PRINTER, data: print("log(string,uint256)", ["the end", 0]) });
    await printed();
    for (const line of [
      `✓ 0.000000000000000001 coins to ${short(to)}  21 000 gas  ${short(hash)}`,
      `✓ sets code of ${short(PRINTER)}  0x`,
      "✓ creates a contract at 0x",
      "console.log: count 42 of",
      `console.log: who ${FIRST} true`,
      "console.log: -5",
      `✗ ${short(REVERTER)}.0x08c379a0(0x0000…)  "no luck"  0x`,
      `✗ ${short(REVERTER)}.0x4e487b71(0x0000…)  panic 17 (arithmetic overflow or underflow)  0x`,
      `  ERC20InsufficientBalance(${short(FIRST)}, 5, 10)  0x`,
      `  custom error ${ERRORS.getError("Unheard")!.selector}  0x`,
    ]) {
      assert(output().includes(line), `${line} is not in ${output()}`);
    }
    assert(!output().includes("\x1b"), "a file has no colours");
    await rpc.call("hardhat_setLoggingEnabled", false);
    const unseen = await send({ to, value: "0x1" });
    await rpc.call("hardhat_setLoggingEnabled", true);
    const seen = await send({ to, value: "0x1" });
    await until(async () => output().includes(short(seen)));
    assert(!output().includes(short(unseen)));
    await rpc.call("anvil_enableTraces");
    const traced = await send({ to: PRINTER, data: print("log(string,uint256)", ["once more", 1]) });
    await assert.rejects(send({ to: REVERTER, data: ERRORS.encodeErrorResult("Error", ["no way"]) }));
    await rpc.call("anvil_enableTraces", false);
    const last = await send({ to, value: "0x1" });
    await until(async () => output().includes(short(last)));
    const lines = output()
      .slice(output().indexOf(short(traced)))
      .split("\n")
      .slice(1);
    assert.equal(lines[0], "  console.log: once more 1");
    assert.match(lines[1]!, new RegExp(`^ {2}call ${PRINTER} 0xb60e72cc, gas \\d+$`));
    assert.match(lines[2]!, /^ {2}← gas used \d+$/);
    assert(lines.includes('  ← reverted "no way"'), output());
    assert(!lines.at(-2)!.includes("←"));
    assert.equal(await stop(), 0);
  });

  it("has the accounts, limits and identity that are asked for, and prints JSON", async () => {
    const dev = await start(
      ...[
        "--accounts",
        "3",
        "--balance",
        "7",
        "--gas-limit",
        "30000000",
        "--gas-price",
        "60000000",
        "--chain-id",
        "99",
      ],
      ...["--mnemonic", "legal winner thank year wave sausage worth useful legal winner thank yellow"],
      ...["--log.format", "json", "--rpc.client-version", "anvil/v1"],
    );
    const { rpc, output, stop } = dev;
    const accounts = await rpc.call("eth_accounts");
    assert.equal(accounts.length, 3);
    assert.equal(accounts[0], "0x58a57ed9d8d624cbd12e2c467d34787555bb1b25");
    assert.equal(await rpc.call("eth_getBalance", accounts[2], "latest"), "0x6124fee993bc0000");
    assert.equal(await rpc.call("eth_chainId"), "0x63");
    assert.equal(await rpc.call("web3_clientVersion"), "anvil/v1");
    const request = { from: accounts[0], to: accounts[1], gas: "0x1c9c380", gasPrice: "0x3938700" };
    await assert.rejects(rpc.call("eth_sendTransaction", { ...request, gasPrice: "0x1" }), { code: -32010 });
    const hash = await rpc.call("eth_sendTransaction", request);
    const { gasLimit, minimumGasPrice } = await rpc.call("eth_getBlockByNumber", "latest");
    assert.deepEqual([gasLimit, minimumGasPrice], ["0x1c9c380", "0x3938700"]);
    await until(async () => output().includes(hash));
    const line = output()
      .split("\n")
      .find((one) => one.includes(hash))!;
    const { from, to, status, block, gasUsed } = JSON.parse(line);
    assert.deepEqual([from, to, status, block, gasUsed], [accounts[0], accounts[1], "ok", 1, 21_000]);
    assert.equal(await stop(), 0);
  });

  it("answers reverts so that viem decodes custom errors", async () => {
    const { rpc, url, stop } = await start("--quiet");
    const abi = parseAbi(["function add(uint256)", "error TooMuch(uint256)"]);
    const data = encodeErrorResult({ abi, errorName: "TooMuch", args: [7n] });
    // Code that reverts with these bytes.
    const code = concat(["0x6024600c5f3960245ffd", "0x0000", data]);
    await rpc.call("hardhat_setCode", REVERTER, code);
    const contract = { address: REVERTER as Address, abi, functionName: "add", args: [1n], account: FIRST } as const;
    const client = createPublicClient({ transport: http(url) });
    const error = await client.simulateContract(contract).catch((one: BaseError) => one);
    const cause = (error as BaseError).walk((one) => one instanceof ContractFunctionRevertedError);
    assert.deepEqual((cause as ContractFunctionRevertedError).data?.args, [7n]);
    for (const method of ["eth_call", "eth_estimateGas", "eth_sendTransaction"]) {
      const request = {
        from: FIRST,
        to: REVERTER,
        data,
        ...(method === "eth_sendTransaction" ? { gas: "0xffff" } : {}),
      };
      await assert.rejects(rpc.call(method, request), { code: 3, data, message: /execution reverted/ });
    }
    // A failure without a revert has the code of the API document.
    await assert.rejects(rpc.call("eth_call", { from: FIRST, data: "0xfe" }), { code: -32015 });
    assert.equal(await stop(), 0);
  });

  it("keeps the gas limit of blocks, all of which one transaction may have", async () => {
    const { rpc, stop } = await start("--quiet");
    const limit = async () => Number((await rpc.call("eth_getBlockByNumber", "latest")).gasLimit);
    const [from] = await rpc.call("eth_accounts");
    const first = await limit();
    assert.equal(first, 10_000_000);
    const spend = async (gas: number) => {
      const request = { from, to: from, gas: `0x${gas.toString(16)}` };
      const receipt = await rpc.call("eth_getTransactionReceipt", await rpc.call("eth_sendTransaction", request));
      assert.equal(receipt.status, "0x1");
      await assert.rejects(rpc.call("eth_sendTransaction", { ...request, gas: `0x${(gas + 1).toString(16)}` }));
    };
    await rpc.call("evm_mine", { blocks: 500 });
    assert.equal(await limit(), first);
    await spend(first);
    await rpc.call("evm_setBlockGasLimit", 30_000_000);
    await rpc.call("evm_mine", { blocks: 3 });
    await spend(30_000_000);
    assert.equal(await limit(), 30_000_000);
    await rpc.call("hardhat_reset");
    await rpc.call("evm_mine", { blocks: 3 });
    assert.equal(await limit(), first);
    assert.equal(await stop(), 0);
  });

  it("keeps the accounts in a file, mines at intervals, and can be quiet", async () => {
    const file = join(folder(), "state");
    const options = ["--state", file, "--block-time", "0.1", "--quiet"];
    const first = await start(...options);
    await first.rpc.call("hardhat_setBalance", PRINTER, "0x2a");
    await first.rpc.call("hardhat_setCode", PRINTER, PRINTER_CODE);
    await until(async () => Number(await first.rpc.call("eth_blockNumber")) >= 5);
    const [from] = await first.rpc.call("eth_accounts");
    const hash = await first.rpc.call("eth_sendTransaction", { from, to: from, gas: "0x5208" });
    await until(async () => (await first.rpc.call("eth_getTransactionReceipt", hash)) !== null);
    assert.equal(await first.stop(), 0);
    assert(!first.output().includes(short(hash)));
    const second = await start(...options);
    assert.equal(await second.rpc.call("eth_getBalance", PRINTER, "latest"), "0x2a");
    assert.equal(await second.rpc.call("eth_getCode", PRINTER, "latest"), PRINTER_CODE);
    assert.equal(await second.rpc.call("eth_getTransactionCount", from, "latest"), "0x1");
    assert.equal(await second.stop(), 0);
  });

  it("fills in the gas and gas price that a transaction does not have", async () => {
    const { rpc, stop } = await start("--gas-price", "7");
    const [from] = await rpc.call("eth_accounts");
    const stores = [0, 1, 2, 3, 4, 5].map((cell) => `6001600${cell}55`).join("");
    const hash = await rpc.call("eth_sendTransaction", { from, data: `0x${stores}00` });
    const { status, gasUsed } = await rpc.call("eth_getTransactionReceipt", hash);
    assert.equal(status, "0x1");
    assert(Number(gasUsed) > 120_000);
    assert.equal((await rpc.call("eth_getTransactionByHash", hash)).gasPrice, "0x7");
    const { tx } = await rpc.call("eth_signTransaction", { from, data: `0x${stores}00` });
    assert(Number(tx.gas) > 120_000);
    await rpc.call("hardhat_impersonateAccount", PRINTER);
    await rpc.call("hardhat_setBalance", PRINTER, "0xffffffffff");
    const other = await rpc.call("eth_sendTransaction", { from: PRINTER, data: `0x${stores}00` });
    assert.equal((await rpc.call("eth_getTransactionReceipt", other)).status, "0x1");
    const height = await rpc.call("eth_blockNumber");
    // REVERT
    await assert.rejects(rpc.call("eth_sendTransaction", { from, data: "0x60006000fd" }), { code: 3 });
    assert.equal(await rpc.call("eth_blockNumber"), height);
    assert.equal(await stop(), 0);
  });

  it("refuses what cannot be", async () => {
    const missing = join(folder(), "missing", "state");
    assert.match((await runCli("dev", "--state", missing)).stderr, /missing/);
    for (const [option, value] of [
      ["--chain-id", "30"],
      ["--chain-id", "31"],
      ["--chain-id", "111"],
      ["--gas-limit", "1"],
      ["--block-time", "0"],
      ["--accounts", "x"],
      ["--mnemonic", "test junk"],
    ] as const) {
      const { status, stderr } = await runCli("dev", option, value);
      assert.equal(status, 1);
      assert(stderr.includes(option), stderr);
    }
  });
});
