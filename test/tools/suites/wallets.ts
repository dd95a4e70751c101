import assert from "node:assert/strict";
import { COUNTER_ABI, COUNTER_CODE } from "@cambium/test-utils/counter-contract";
import { until } from "@cambium/test-utils/rpc-client";
import { Interface, Wallet } from "ethers";
import { REMIX } from "./chains.js";
import { type NamedTest, reportOf, type Suite } from "./suite.js";

const COUNTER = new Interface(COUNTER_ABI);
const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]*)$/;
/** An account without code at the address of a helper contract on Ethereum's networks, which a wallet uses. */
const NOT_HERE = "0xca11bde05977b3631167028862be2a173976ca11";

interface Answer {
  id: number;
  // biome-ignore lint/suspicious/noExplicitAny: results have many shapes, and tests say which.
  result: any;
  error?: { message: string };
}

/** Sends requests like a page in a browser. */
class Page {
  private id = 8_214_000_000;

  constructor(
    private readonly url: string,
    private readonly origin: string,
  ) {}

  async preflight(): Promise<Headers> {
    const headers = {
      Origin: this.origin,
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "content-type",
    };
    const response = await fetch(this.url, { method: "OPTIONS", headers });
    assert(response.ok, `status ${response.status}`);
    return response.headers;
  }

  async ask(method: string, ...params: unknown[]) {
    const body = JSON.stringify({ id: ++this.id, jsonrpc: "2.0", method, params });
    const headers = { "content-type": "application/json", Origin: this.origin };
    const response = await fetch(this.url, { method: "POST", headers, body });
    const allowed = response.headers.get("access-control-allow-origin");
    assert(allowed === "*" || allowed === this.origin, `a page may not read the answer: ${allowed}`);
    const answer = (await response.json()) as Answer;
    assert.equal(answer.id, this.id);
    if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result;
  }

  async receipt(hash: string) {
    let receipt: { status: string; contractAddress: string | null; blockHash: string; transactionHash: string } | null;
    await until(async () => (receipt = await this.ask("eth_getTransactionReceipt", hash)) !== null);
    return receipt!;
  }
}

/** Returns tests of Remix's requests to a provider at a URL: connect, show accounts, deploy, call, debug. */
function remix(page: Page): NamedTest[] {
  let from: string;
  let counter: string;
  /** Gas is estimated first, and the node determines the price where blocks have no base fee. */
  const send = async (transaction: object) => {
    const gas = await page.ask("eth_estimateGas", { from, value: "0x0", ...transaction });
    const { baseFeePerGas } = await page.ask("eth_getBlockByNumber", "latest", false);
    const fees = baseFeePerGas === undefined ? { gasPrice: await page.ask("eth_gasPrice") } : {};
    const hash = await page.ask("eth_sendTransaction", { from, value: "0x0", ...transaction, ...fees, gas });
    return { receipt: await page.receipt(hash), transaction: await page.ask("eth_getTransactionByHash", hash) };
  };
  return [
    [
      "Remix connects",
      async () => {
        const headers = await page.preflight();
        assert(["*", REMIX].includes(headers.get("access-control-allow-origin") ?? ""));
        assert.match(headers.get("access-control-allow-headers") ?? "", /\*|content-type/i);
        assert.equal(await page.ask("net_listening"), true);
        assert.match(await page.ask("eth_chainId"), QUANTITY);
        assert.equal(Number(await page.ask("net_version")), Number(await page.ask("eth_chainId")));
        assert.equal(typeof (await page.ask("web3_clientVersion")), "string");
      },
    ],
    [
      "Remix shows accounts and balances",
      async () => {
        const accounts: string[] = await page.ask("eth_accounts");
        assert(accounts.length >= 10);
        for (const account of accounts) assert.match(await page.ask("eth_getBalance", account, "latest"), QUANTITY);
        from = accounts[0]!;
      },
    ],
    [
      "Remix deploys",
      async () => {
        const { receipt, transaction } = await send({ data: COUNTER_CODE });
        assert.equal(receipt.status, "0x1");
        assert.equal(transaction.to, null);
        counter = receipt.contractAddress!;
        assert(COUNTER_CODE.endsWith((await page.ask("eth_getCode", counter, "latest")).slice(2)));
      },
    ],
    [
      "Remix sends and calls",
      async () => {
        const { receipt } = await send({ to: counter, data: COUNTER.encodeFunctionData("add", [42]) });
        assert.equal(receipt.status, "0x1");
        const call = { from, to: counter, data: COUNTER.encodeFunctionData("total"), value: "0x0" };
        assert.equal(BigInt(await page.ask("eth_call", call, "latest")), 42n);
        await assert.rejects(send({ to: counter, data: COUNTER.encodeFunctionData("add", [101]) }), /too much/);
      },
    ],
    [
      "Remix debugs",
      async () => {
        const { receipt } = await send({ to: counter, data: COUNTER.encodeFunctionData("add", [1]) });
        const options = { enableMemory: true, disableStorage: false, disableStack: false };
        const { structLogs } = await page.ask("debug_traceTransaction", receipt.transactionHash, options);
        const last = structLogs.at(-1);
        assert(["STOP", "RETURN"].includes(last.op));
        assert(structLogs.some(({ op }: { op: string }) => op === "SSTORE"));
        const { transactions } = await page.ask("eth_getBlockByHash", receipt.blockHash, true);
        assert.equal(transactions[0].hash, receipt.transactionHash);
      },
    ],
    [
      "Remix signs a message",
      async () => {
        const signature = await page.ask("personal_sign", "0x68656c6c6f", from, "");
        assert.match(signature, /^0x[0-9a-f]{130}$/);
      },
    ],
  ];
}

/** Returns tests of MetaMask's requests to a network that a user adds; MetaMask itself signs. */
function metaMask(page: Page): NamedTest[] {
  const wallet = Wallet.createRandom();
  const fund = async () => {
    const [from] = await page.ask("eth_accounts");
    await page.receipt(await page.ask("eth_sendTransaction", { from, to: wallet.address, value: "0xde0b6b3a7640000" }));
  };
  return [
    [
      "MetaMask adds the network",
      async () => {
        await page.preflight();
        assert.match(await page.ask("eth_chainId"), QUANTITY);
        assert.match(String(await page.ask("net_version")), /^\d+$/);
        const block = await page.ask("eth_getBlockByNumber", "latest", false);
        for (const field of ["number", "timestamp", "gasLimit", "hash"]) assert.match(block[field], /^0x/);
      },
    ],
    [
      "MetaMask follows blocks and balances",
      async () => {
        await fund();
        const height = await page.ask("eth_blockNumber");
        assert.match(height, QUANTITY);
        assert.equal((await page.ask("eth_getBlockByNumber", height, false)).number, height);
        assert.equal(await page.ask("eth_getBalance", wallet.address, height), "0xde0b6b3a7640000");
        const call = { to: NOT_HERE, data: "0xf0002ea9" };
        assert.equal(await page.ask("eth_call", call, "latest"), "0x");
      },
    ],
    [
      "MetaMask prepares, signs and sends a transaction",
      async () => {
        await fund();
        const to = Wallet.createRandom().address.toLowerCase();
        assert.equal(await page.ask("eth_getCode", to, "latest"), "0x");
        const request = { from: wallet.address.toLowerCase(), to, value: "0x3" };
        const gasLimit = await page.ask("eth_estimateGas", request);
        const gasPrice = await page.ask("eth_gasPrice");
        const nonce = Number(await page.ask("eth_getTransactionCount", request.from, "pending"));
        const chainId = Number(await page.ask("eth_chainId"));
        const signed = await wallet.signTransaction({ type: 0, to, value: 3n, gasLimit, gasPrice, nonce, chainId });
        const hash = await page.ask("eth_sendRawTransaction", signed);
        const receipt = await page.receipt(hash);
        assert.equal(receipt.status, "0x1");
        assert.equal((await page.ask("eth_getTransactionByHash", hash)).blockHash, receipt.blockHash);
        assert.equal(await page.ask("eth_getBalance", to, "latest"), "0x3");
        assert.equal(Number(await page.ask("eth_getTransactionCount", request.from, "latest")), nonce + 1);
      },
    ],
    [
      "MetaMask sees no base fee, or the fees that follow from it",
      async () => {
        const { baseFeePerGas } = await page.ask("eth_getBlockByNumber", "latest", false);
        if (baseFeePerGas === undefined) return;
        const { baseFeePerGas: fees } = await page.ask("eth_feeHistory", "0x5", "latest", [10, 20, 30]);
        assert(fees.length > 0);
      },
    ],
    [
      "MetaMask gets null for what is unknown",
      async () => {
        const unknown = `0x${"0a".repeat(32)}`;
        assert.equal(await page.ask("eth_getTransactionReceipt", unknown), null);
        assert.equal(await page.ask("eth_getTransactionByHash", unknown), null);
        assert.equal(await page.ask("eth_getBlockByNumber", "0xfffffff", false), null);
      },
    ],
    [
      "MetaMask speeds up a transaction",
      async () => {
        await fund();
        await page.ask("evm_setAutomine", false);
        const chainId = Number(await page.ask("eth_chainId"));
        const transaction = { type: 0, to: wallet.address, gasLimit: 21_000, nonce: 0, chainId };
        const sender = Wallet.createRandom();
        const [from] = await page.ask("eth_accounts");
        const funding = { from, to: sender.address, value: "0xde0b6b3a7640000" };
        const funded = await page.ask("eth_sendTransaction", funding);
        await page.ask("evm_mine");
        await page.receipt(funded);
        const prices = [2_000_000_000n, 4_000_000_000n];
        const hashes: string[] = [];
        for (const gasPrice of prices) {
          hashes.push(
            await page.ask("eth_sendRawTransaction", await sender.signTransaction({ ...transaction, gasPrice })),
          );
        }
        await page.ask("evm_mine");
        await page.ask("evm_setAutomine", true);
        assert.equal((await page.receipt(hashes[1]!)).status, "0x1");
        assert.equal(await page.ask("eth_getTransactionReceipt", hashes[0]), null);
      },
    ],
  ];
}

/**
 * Requests in the order in which a development environment and a wallet in a browser send them, written by us from
 * their documentation.
 */
export const WALLET_SUITES: readonly Suite[] = [
  { name: "Remix", run: (url) => reportOf(remix(new Page(url, REMIX))) },
  {
    name: "MetaMask",
    run: (url) => reportOf(metaMask(new Page(url, "chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn"))),
  },
];
