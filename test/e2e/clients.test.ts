import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExpectedBlock, ExpectedCall } from "@cambium/conformance";
import { importRecorded, type RunningNode, startNode } from "@cambium/test-utils/node-cli";
import { decodeRlp, keccak256 } from "ethers";
import type { ChainClient, SeenCall } from "./chain-client.js";
import { type RecordedChain, recordedChain } from "./companion.js";
import { EthersClient } from "./ethers-client.js";
import { ViemClient } from "./viem-client.js";

const ZERO_ADDRESS = `0x${"00".repeat(20)}`;
const UNKNOWN = `0x${"00".repeat(31)}ff`;
/** Number of concurrent requests. */
const WIDTH = 50;

/** Compares all results of unmodified client libraries on chains built by the deployed client. */
for (const name of ["contracts", "uncles-and-reorgs"]) {
  const recorded = recordedChain(name);
  describe(`client libraries on the chain "${name}"`, () => {
    let folder: string;
    let node: RunningNode;

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), "cambium-e2e-"));
      const options = ["--network", "local", "--data-dir", folder];
      await importRecorded(recorded.blockFile, ...options);
      node = await startNode(...options);
    });

    after(async () => {
      assert.equal(await node.stop(), 0);
      rmSync(folder, { recursive: true });
    });

    describe("ethers", () => describeReading(recorded!, () => new EthersClient(node.url)));
    describe("viem", () => describeReading(recorded!, () => new ViemClient(node.url)));
  });
}

function describeReading(recorded: RecordedChain, connect: () => ChainClient): void {
  const { companion, bestChain, sideBlocks } = recorded;
  const best = companion.bestBlock;
  let client: ChainClient;

  before(() => {
    client = connect();
  });
  after(() => client.close());

  it("network and head", async () => {
    assert.equal(await client.chainId(), companion.chainId);
    assert.equal(await client.blockNumber(), best.number);
    assert.equal((await client.block(0))!.hash, companion.genesisHash);
    assert.equal(await client.block(best.number + 1), null);
    assert.equal(await client.block(UNKNOWN), null);
  });

  it("blocks of the best chain by number and by hash", async () => {
    await forEach(bestChain, async (expected) => {
      assertBlock(await client.block(expected.number), expected);
      assertBlock(await client.block(expected.hash), expected);
      await assertRawBlock(client, expected);
    });
  });

  it("side blocks by hash only", async () => {
    await forEach(sideBlocks, async (expected) => {
      assertBlock(await client.block(expected.hash), expected);
      await assertRawBlock(client, expected);
      assert.notEqual((await client.block(expected.number))?.hash, expected.hash);
    });
  });

  it("uncles", async () => {
    const known = new Map(companion.blocks.map((block) => [block.hash, block]));
    await forEach([...bestChain, ...sideBlocks], async ({ hash, uncles }) => {
      assert.equal(await client.request("eth_getUncleCountByBlockHash", [hash]), hex(uncles.length));
      for (const [i, uncle] of uncles.entries()) {
        const answer = await client.request("eth_getUncleByBlockHashAndIndex", [hash, hex(i)]);
        assertUncle(answer as Members, uncle, known.get(uncle));
      }
      assert.equal(await client.request("eth_getUncleByBlockHashAndIndex", [hash, hex(uncles.length)]), null);
    });
    await forEach(bestChain, async ({ number, uncles }) => {
      assert.equal(await client.request("eth_getUncleCountByBlockNumber", [hex(number)]), hex(uncles.length));
      for (const [i, uncle] of uncles.entries()) {
        const answer = (await client.request("eth_getUncleByBlockNumberAndIndex", [hex(number), hex(i)])) as Members;
        assert.equal(answer.hash, uncle);
      }
    });
  });

  it("transactions, whose hashes follow from what the library read", async () => {
    await forEach(bestChain, async (block) => {
      for (const [index, hash] of block.transactions.entries()) {
        const { recomputedHash, ...members } = (await client.transaction(hash))!;
        const from = block.senders[index] ?? ZERO_ADDRESS;
        assert.deepEqual(members, { hash, blockHash: block.hash, blockNumber: block.number, index, from });
        if (recomputedHash !== undefined) assert.equal(recomputedHash, hash);
      }
    });
    assert.equal(await client.transaction(UNKNOWN), null);
  });

  it("transactions by position, counts", async () => {
    await forEach([...bestChain, ...sideBlocks], async ({ hash, transactions }) => {
      assert.equal(await client.request("eth_getBlockTransactionCountByHash", [hash]), hex(transactions.length));
      const last = transactions.length - 1;
      const answer = (await client.request("eth_getTransactionByBlockHashAndIndex", [hash, hex(last)])) as Members;
      assert.equal(answer.hash, transactions[last]);
      assert.equal(await client.request("eth_getTransactionByBlockHashAndIndex", [hash, hex(last + 1)]), null);
    });
  });

  it("receipts with their logs", async () => {
    await forEach(bestChain, async (block) => {
      const logs = companion.logs.filter((log) => log.blockHash === block.hash);
      for (const [index, transactionHash] of block.transactions.entries()) {
        const receipt = (await client.receipt(transactionHash))!;
        const { contractAddress: _, logs: seenLogs, ...members } = receipt;
        assert.deepEqual(members, { ...expectedReceipt(block, index), transactionHash, blockHash: block.hash, index });
        assert.deepEqual(seenLogs, logs.filter((log) => log.transactionIndex === index).map(plainLog));
      }
    });
    assert.equal(await client.receipt(UNKNOWN), null);
  });

  it("addresses of created contracts", async () => {
    const created = new Set<string>();
    await forEach(bestChain, async ({ transactions }) => {
      for (const hash of transactions) created.add((await client.receipt(hash))!.contractAddress ?? "");
    });
    const inTransactions = companion.contracts.filter(({ address }) => created.has(address));
    assert(companion.contracts.length === 0 || inTransactions.length > 0);
  });

  it("logs: all, by address and by topic", async () => {
    const logs = companion.logs.map(plainLog);
    const range = { fromBlock: 0, toBlock: best.number };
    assert.deepEqual(await client.logs(range), logs);
    await forEach([...new Set(logs.map((log) => log.address))], async (address) => {
      assert.deepEqual(
        await client.logs({ ...range, address }),
        logs.filter((log) => log.address === address),
      );
    });
    await forEach([...new Set(logs.map((log) => log.topics[0]))], async (topic) => {
      if (topic === undefined) return;
      assert.deepEqual(
        await client.logs({ ...range, topic }),
        logs.filter((log) => log.topics[0] === topic),
      );
    });
    await forEach(bestChain, async ({ number }) => {
      const own = logs.filter((log) => log.blockNumber === number);
      assert.deepEqual(await client.logs({ fromBlock: number, toBlock: number }), own);
    });
  });

  it("balances, nonces and code", async () => {
    await forEach(companion.accounts, async (account) => {
      assert.equal(await client.balance(account.address), BigInt(account.balance), account.address);
      assert.equal(await client.nonce(account.address), Number(account.nonce), account.address);
      const code = await client.code(account.address);
      assert.equal(code.length / 2 - 1, account.codeLength, account.address);
      if (account.codeLength > 0) assert.equal(keccak256(code), account.codeHashStandard, account.address);
    });
  });

  it("storage cells, also those never written", async () => {
    const cells = companion.contracts.flatMap(({ address, storage }) => storage.map((cell) => ({ address, ...cell })));
    await forEach(cells, async ({ address, slot, value }) => {
      assert.equal(await client.storage(address, slot), `0x${value.slice(2).padStart(64, "0")}`, `${address} ${slot}`);
    });
  });

  it("calls: outputs, reverts and other failures", async () => {
    await forEach(companion.calls, async (call) => {
      assert.deepEqual(await client.call(call), expectedCall(call), JSON.stringify(call).slice(0, 300));
    });
  });
}

type Members = Record<string, unknown>;

function hex(value: number | bigint | string): string {
  return `0x${BigInt(value).toString(16)}`;
}

function assertBlock(actual: Awaited<ReturnType<ChainClient["block"]>>, expected: ExpectedBlock): void {
  const { number, hash, parentHash, stateRoot, receiptsRoot, timestamp, miner, transactions } = expected;
  const plain = { number, hash, parentHash, stateRoot, receiptsRoot, timestamp, miner, transactions };
  const [gasUsed, gasLimit, difficulty] = [expected.gasUsed, expected.gasLimit, expected.difficulty].map(BigInt);
  assert.deepEqual(actual, { ...plain, gasUsed, gasLimit, difficulty });
}

/** Members that the libraries drop. */
async function assertRawBlock(client: ChainClient, expected: ExpectedBlock): Promise<void> {
  const answer = (await client.request("eth_getBlockByHash", [expected.hash, false])) as Members;
  const members = {
    transactionsRoot: expected.transactionsRoot,
    sha3Uncles: expected.unclesHash,
    uncles: expected.uncles,
    hashForMergedMining: expected.hashForMergedMining,
    pteEdges: expected.executionEdges,
    totalDifficulty: hex(expected.totalDifficulty),
    minimumGasPrice: hex(expected.minimumGasPrice),
    paidFees: hex(expected.paidFees),
    size: hex(expected.size),
    transactions: expected.transactions,
    mixHash: `0x${"00".repeat(32)}`,
    nonce: "0x0000000000000000",
  };
  for (const [name, value] of Object.entries(members))
    assert.deepEqual(answer[name], value, `${name} of ${expected.hash}`);
  assert(!("baseFeePerGas" in answer));
}

/** Checks an uncle; `known` is its block, if it was imported. */
function assertUncle(answer: Members, hash: string, known: ExpectedBlock | undefined): void {
  assert.equal(answer.hash, hash);
  assert.deepEqual([answer.transactions, answer.uncles], [[], []]);
  if (known === undefined) return;
  assert.equal(answer.stateRoot, known.stateRoot);
  assert.equal(answer.miner, known.miner);
  assert.equal(answer.number, hex(known.number));
  assert.equal(answer.hashForMergedMining, known.hashForMergedMining);
}

/** An encoded receipt is a list of post-state, cumulative gas, bloom, logs, gas and status. */
function expectedReceipt(block: ExpectedBlock, index: number) {
  const [, cumulativeGas, logsBloom] = decodeRlp(block.receipts[index]!) as string[];
  return {
    gasUsed: BigInt(block.receiptGasUsed[index]!),
    cumulativeGasUsed: cumulativeGas === "0x" ? 0n : BigInt(cumulativeGas!),
    succeeded: block.receiptStatus[index]!,
    logsBloom,
  };
}

function plainLog({ address, topics, data, ...place }: RecordedChain["companion"]["logs"][number]) {
  const { blockNumber, blockHash, transactionHash, transactionIndex, logIndex } = place;
  return { address, topics, data, blockNumber, blockHash, transactionHash, transactionIndex, logIndex };
}

function expectedCall({ reverted, failed, output }: ExpectedCall): SeenCall {
  if (reverted) return { reverted: output! };
  return failed ? { failed: true } : { output: output! };
}

/** Checks all items, {@link WIDTH} at a time. */
async function forEach<T>(items: readonly T[], check: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) await check(item);
  };
  await Promise.all(Array.from({ length: WIDTH }, worker));
}
