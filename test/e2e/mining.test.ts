import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { local } from "@cambium/config";
import { parentHeaderHash } from "@cambium/merged-mining";
import { publicKeyToAddress, reverseBytes, secp256k1, toData, toHex } from "@cambium/primitives";
import { SUBMISSIONS, solve, spoil, submit, type Work } from "@cambium/test-utils/clients/mining-client";
import { WsClient } from "@cambium/test-utils/clients/ws-client";
import { atDepth } from "@cambium/test-utils/depth";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { startNode } from "@cambium/test-utils/node-cli";
import { RpcClient, sleep, until } from "@cambium/test-utils/rpc-client";

const MINER = `0x${"5a".repeat(20)}`;
const SINK = `0x${"51".repeat(20)}`;
const REWARD_CONTRACT = "0x0000000000000000000000000000000001000008";
const GAS_PRICE = 1_000_000_007n;

const BLOCKS = atDepth(40, 200);
const TRANSACTIONS_EACH = atDepth(10, 50);

const IMPORTED_BEST = ascii("IMPORTED_BEST");
const IMPORTED_NOT_BEST = ascii("IMPORTED_NOT_BEST");
const EXIST = ascii("EXIST");

function ascii(text: string): string {
  return `0x${Buffer.from(text).toString("hex")}`;
}

function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}

/** A node in a separate process, for a merged-mining pool over HTTP. */
interface MiningNode {
  rpc: RpcClient;
  wsUrl: string;
  stop(): Promise<void>;
}

async function startMining(): Promise<MiningNode> {
  const folder = mkdtempSync(join(tmpdir(), "cambium-e2e-"));
  const node = await startNode("--network", "local", "--data-dir", folder, "--miner.address", MINER);
  const stop = async () => {
    assert.equal(await node.stop(), 0);
    rmSync(folder, { recursive: true });
  };
  return { rpc: new RpcClient(node.url), wsUrl: node.wsUrl!, stop };
}

describe("merged mining on a new node", () => {
  let node: MiningNode;
  let rpc: RpcClient;

  beforeEach(async () => {
    node = await startMining();
    rpc = node.rpc;
  });
  afterEach(() => node.stop());

  const transactions = DEVELOPERS.length * TRANSACTIONS_EACH;
  it(`mines ${BLOCKS} blocks with ${transactions} transactions, and all their fees are paid`, async () => {
    const sending = sendAll(rpc, TRANSACTIONS_EACH);
    await minePolling(rpc, BLOCKS);
    const hashes = await sending;
    await mineUntilEmpty(rpc);
    assert.equal(new Set(hashes).size, transactions);
    assert.equal(
      BigInt(await rpc.call("eth_getBalance", SINK, "latest")),
      BigInt(transactions),
      "each transaction was mined once",
    );
    const fees = await feesOf(rpc, hashes);
    assert.equal(fees, await feesOfBlocks(rpc));
    assert.equal(fees, await received(rpc));
  });

  it("reports new work only once", async () => {
    const first: Work = await rpc.call("mnr_getWork");
    assert.equal(first.notify, true);
    assert.deepEqual(await rpc.call("mnr_getWork"), { ...first, notify: false });
    assert.equal(first.target, `0x${"55".repeat(32)}`);
    assert.equal(first.feesPaidToMiner, "0");
  });

  it("pushes new work over WebSocket, and to requests that name the work they know", async () => {
    const socket = await WsClient.open(node.wsUrl);
    await socket.call({ method: "eth_subscribe", params: ["work"] });
    const known: Work = await rpc.call("mnr_getWork");
    const waiting = rpc.call("mnr_getWork", known.blockHashForMergedMining);
    const { blockHash } = await submit(rpc, "block", solve(known));
    assert.equal((await waiting).parentBlockHash, blockHash);
    await until(async () => socket.notifications > 0);
    await socket.end(true);
  });

  it("has no work while the server is stopped", async () => {
    await rpc.call("evm_stopMining");
    for (const method of ["mnr_getWork", "eth_getWork"]) {
      await assert.rejects(rpc.call(method), { code: -32000, message: "mining work not available" });
    }
    await rpc.call("evm_startMining");
    await rpc.call("mnr_getWork");
  });
});

describe("merged mining", () => {
  let node: MiningNode;
  let rpc: RpcClient;

  before(async () => {
    node = await startMining();
    rpc = node.rpc;
  });
  beforeEach(() => rpc.call("evm_reset"));
  after(() => node.stop());

  it("reads blocks of the parent chain of the largest size", async () => {
    const error = { code: -32602, message: /^Invalid / };
    await assert.rejects(rpc.call("mnr_submitParentChainBlock", `0x${"00".repeat(4_000_000)}`), error);
  });

  it("rejects stale and wrong solutions with the documented errors", async () => {
    const first: Work = await rpc.call("mnr_getWork");
    const wrong = spoil(solve(first), first);
    for (const kind of SUBMISSIONS) {
      const key = toHexDigits(first);
      await assert.rejects(submit(rpc, kind, wrong), {
        code: -33000,
        message: new RegExp(`^Invalid block supplied by miner: [0-9a-f]{64} ${key} at height 1: [A-Z_]+`),
      });
      const unknown = { ...first, blockHashForMergedMining: `0x${"ab".repeat(32)}` };
      const message = `Cannot publish block, could not find hash ${unknown.blockHashForMergedMining} in the cache`;
      await assert.rejects(submit(rpc, kind, solve(unknown)), { code: -33000, message });
    }
    assert.equal(await rpc.call("eth_blockNumber"), "0x0");

    const solution = solve(first);
    const best = await submit(rpc, "block", solution);
    assert.deepEqual([best.blockImportedResult, best.blockIncludedHeight], [IMPORTED_BEST, "0x1"]);
    const again = await submit(rpc, "block", solution);
    assert.deepEqual(again, { ...best, blockImportedResult: EXIST });

    // The template is stale now; another solution of it is a sibling of the best block.
    const sibling = await submit(rpc, "partial-merkle", solve(first, 3));
    assert.notEqual(sibling.blockHash, best.blockHash);
    assert([IMPORTED_BEST, IMPORTED_NOT_BEST].includes(sibling.blockImportedResult));
    assert.equal(sibling.blockIncludedHeight, "0x1");
  });

  it("rejects malformed parameters", async () => {
    const header = "00".repeat(80);
    const malformed: [string, ...unknown[]][] = [
      ["mnr_submitParentChainBlock", "00"],
      ["mnr_submitParentChainBlock", "zz"],
      ["mnr_submitParentChainBlock", null],
      ["mnr_submitParentChainBlock", `${header}00`],
      ["mnr_submitParentChainBlockTransactions", "", header, "00", "11"],
      ["mnr_submitParentChainBlockPartialMerkle", "", header, "00", "11", "1"],
      ["mnr_submitParentChainBlockPartialMerkle", "", header, "00", "11".repeat(32), "g"],
      ["mnr_submitParentChainBlockPartialMerkle", "", header, "00"],
      ["eth_submitWork", "0x00", `0x${"00".repeat(32)}`, `0x${"00".repeat(32)}`],
      ["eth_submitHashrate", "0x1", `0x${"00".repeat(32)}`],
    ];
    for (const [method, ...params] of malformed) {
      await assert.rejects(rpc.call(method, ...params), { code: -32602 }, JSON.stringify([method, params]));
    }
    const empty = rpc.call("mnr_submitParentChainBlockPartialMerkle", "", header, "00", " ", "1");
    await assert.rejects(empty, { code: -33000, message: "The list of merkle hashes can't be empty" });
  });

  it("accepts hex with a prefix and white space", async () => {
    const work: Work = await rpc.call("mnr_getWork");
    const { header, transactions } = solve(work);
    const text = `${toHex(header)}01${toHex(transactions[0]!)}`.toUpperCase();
    const spaced = `0x${text.slice(0, 20)} ${text.slice(20, 41)}\n${text.slice(41)}`;
    const { blockImportedResult } = await rpc.call("mnr_submitParentChainBlock", spaced);
    assert.equal(blockImportedResult, IMPORTED_BEST);
  });

  it("lets simple miners solve a block with one transaction", async () => {
    const [headerHash, , target] = await rpc.call("eth_getWork");
    const solution = solve({ blockHashForMergedMining: headerHash, target } as Work);
    const time = new DataView(solution.header.buffer).getUint32(68, true);
    const nonce = new DataView(solution.header.buffer).getUint32(76, true);
    const nonceData = `0x${time.toString(16).padStart(8, "0")}${nonce.toString(16).padStart(8, "0")}`;
    const digest = toData(displayHash(solution.header));
    assert.equal(await rpc.call("eth_submitWork", nonceData, headerHash, `0x${"00".repeat(32)}`), false);
    assert.equal(await rpc.call("eth_submitWork", nonceData, digest, digest), false);
    assert.equal(await rpc.call("eth_submitWork", nonceData, headerHash, digest), true);
    assert.equal(await rpc.call("eth_blockNumber"), "0x1");
  });

  it("reports its mining configuration", async () => {
    assert.equal(await rpc.call("eth_coinbase"), MINER);
    assert.equal(await rpc.call("eth_mining"), false);
    assert.equal(await rpc.call("eth_hashrate"), "0x0");
    const rate = `0x${(500_000).toString(16).padStart(64, "0")}`;
    assert.equal(await rpc.call("eth_submitHashrate", rate, `0x${"01".repeat(32)}`), true);
    assert.equal(await rpc.call("eth_submitHashrate", rate, `0x${"02".repeat(32)}`), true);
    assert.equal(await rpc.call("eth_hashrate"), hex(1_000_000));
    assert.equal(typeof (await rpc.call("eth_netHashrate")), "number");
  });
});

describe("a node that does not mine", () => {
  it("has no mining methods, and reports that it does not mine", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cambium-e2e-"));
    const node = await startNode("--network", "test", "--no-p2p", "--data-dir", folder);
    const rpc = new RpcClient(node.url);
    const absent = ["mnr_getWork", "evm_mine", "evm_reset"].map((method) => [method]);
    const word = `0x${"00".repeat(32)}`;
    for (const [method, ...params] of [...absent, ["eth_submitWork", "0x0000000000000001", word, word]]) {
      const message = new RegExp(`^the method ${method} does not exist/is not available`);
      await assert.rejects(rpc.call(method!, ...params), { code: -32601, message });
    }
    await assert.rejects(rpc.call("eth_getWork"), { code: -32000, message: /--miner\.server/ });
    assert.equal(await rpc.call("eth_coinbase"), `0x${"00".repeat(20)}`);
    assert.equal(await rpc.call("eth_mining"), false);
    assert.equal(await rpc.call("eth_hashrate"), "0x0");
    assert.deepEqual(await rpc.call("eth_accounts"), []);
    await assert.rejects(rpc.call("personal_newAccount", "x"), { code: -32604 });
    assert.equal(await node.stop(), 0);
    rmSync(folder, { recursive: true });
  });
});

function toHexDigits(work: Work): string {
  return work.blockHashForMergedMining.slice(2);
}

function displayHash(header: Uint8Array): Uint8Array {
  return reverseBytes(parentHeaderHash(header));
}

/** Sends `each` transactions of every developer, at most a dozen of which are unmined at a time. */
async function sendAll(rpc: RpcClient, each: number): Promise<string[]> {
  const send = async (wallet: (typeof DEVELOPERS)[number]) => {
    const hashes: string[] = [];
    for (let nonce = 0; nonce < each; nonce++) {
      while (nonce - Number(await rpc.call("eth_getTransactionCount", wallet.address, "latest")) >= 12) await sleep(50);
      const request = { to: SINK, value: 1, nonce, gasLimit: 21_000, gasPrice: GAS_PRICE, chainId: 33, type: 0 };
      hashes.push(await rpc.call("eth_sendRawTransaction", await wallet.signTransaction(request)));
    }
    return hashes;
  };
  return (await Promise.all(DEVELOPERS.map(send))).flat();
}

/** Polls every 100 ms and solves new templates, submitting them by each method in turn. */
async function minePolling(rpc: RpcClient, count: number): Promise<void> {
  const parents = new Map<string, string>();
  let expectedParent: string | undefined;
  for (let mined = 0; mined < count; ) {
    const work: Work = await rpc.call("mnr_getWork");
    const { blockHashForMergedMining: key, parentBlockHash } = work;
    assert.equal(parents.get(key) ?? parentBlockHash, parentBlockHash, "a template has one parent");
    parents.set(key, parentBlockHash);
    if (expectedParent !== undefined) assert.equal(parentBlockHash, expectedParent, "the last block is the best");
    const submitted = await submit(rpc, SUBMISSIONS[mined % 3]!, solve(work, 1 + (mined % 5)));
    assert.equal(submitted.blockImportedResult, IMPORTED_BEST);
    assert.equal(Number(submitted.blockIncludedHeight), ++mined);
    expectedParent = submitted.blockHash;
    await sleep(100);
  }
}

async function mineUntilEmpty(rpc: RpcClient): Promise<void> {
  while ((await rpc.call("txpool_status")).pending > 0) {
    await rpc.call("evm_mine");
  }
}

async function feesOf(rpc: RpcClient, transactions: readonly string[]): Promise<bigint> {
  let sum = 0n;
  for (const hash of transactions) {
    const receipt = await rpc.call("eth_getTransactionReceipt", hash);
    sum += BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
  }
  return sum;
}

async function feesOfBlocks(rpc: RpcClient): Promise<bigint> {
  let sum = 0n;
  const best = Number(await rpc.call("eth_blockNumber"));
  for (let number = 1; number <= best; number++) {
    sum += BigInt((await rpc.call("eth_getBlockByNumber", hex(number))).paidFees);
  }
  return sum;
}

/** The balances of the reward contract and of its payees, which all start at zero. */
async function received(rpc: RpcClient): Promise<bigint> {
  const federators = local.bridge.genesisFederation.publicKeys.map((key) => {
    return toData(publicKeyToAddress(secp256k1.decompress(key)!));
  });
  const funds = [local.reward.fundAddress, local.reward.fundAddressRskip218].map(toData);
  let sum = 0n;
  for (const address of new Set([REWARD_CONTRACT, MINER, ...federators, ...funds])) {
    sum += BigInt(await rpc.call("eth_getBalance", address, "latest"));
  }
  return sum;
}
