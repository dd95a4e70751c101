import assert from "node:assert/strict";
import type { LogQuery } from "@cambium/chain";
import { toData } from "@cambium/primitives";
import { CONTRACT, FakeChain, makeLog, RICH, TOPIC_A, TOPIC_B } from "@cambium/test-utils/api/fake-chain";
import { DEFAULT_API_CONFIG } from "../src/config.js";
import type { HeavyExecutor } from "../src/tasks/heavy-executor.js";
import { runTask } from "../src/tasks/tasks.js";
import { apiOver, ask } from "./support/service.js";

const A = toData(TOPIC_A);
const B = toData(TOPIC_B);

describe("eth_getLogs", () => {
  const chain = new FakeChain();
  for (let i = 1; i <= 300; i++) chain.extend([[makeLog(CONTRACT, [TOPIC_A, TOPIC_B])], [makeLog(RICH, [TOPIC_B])]]);
  const side = chain.addSide([makeLog(CONTRACT), makeLog(RICH, [TOPIC_A])]);
  const service = apiOver(chain);

  /** Block numbers of the returned logs. */
  async function blocks(filter: object, config = {}): Promise<number[]> {
    const logs = await ask(apiOver(chain, config), "eth_getLogs", filter);
    return logs.map((log: { blockNumber: string }) => Number(log.blockNumber));
  }

  afterEach(() => {
    chain.onLogs = () => {};
    chain.snapshot = 0;
    chain.earliest = 0;
  });

  it("names the oldest block if an older one is asked for, by any method", async () => {
    chain.earliest = 100;
    const absent = {
      code: -32600,
      message: "Block 99 is not available: the oldest block of this node is 100",
    };
    const calls: Record<string, unknown[]> = {
      eth_getBlockByNumber: [false],
      eth_getHeaderByNumber: [],
      eth_getBlockTransactionCountByNumber: [],
      eth_getUncleCountByBlockNumber: [],
      eth_getUncleByBlockNumberAndIndex: ["0x0"],
      eth_getTransactionByBlockNumberAndIndex: ["0x0"],
      eth_getRawTransactionByBlockNumberAndIndex: ["0x0"],
      eth_getBlockReceipts: [],
      chain_getRawBlockHeaderByNumber: [],
      debug_getRawBlock: [],
    };
    for (const [method, more] of Object.entries(calls)) {
      await assert.rejects(ask(service, method, "0x63", ...more), absent, method);
      await ask(service, method, "0x64", ...more);
    }
    await assert.rejects(ask(service, "eth_getBalance", toData(CONTRACT), "0x63"), absent);
    assert.equal((await ask(service, "eth_getBlockByNumber", "earliest", false)).number, "0x0");
    assert.equal(await ask(service, "eth_getBlockByNumber", "0x1000", false), null);
  });

  it("returns an error, not an empty list, for blocks of a snapshot", async () => {
    chain.snapshot = 200;
    const absent = { code: -32600, message: /up to 200 are not available: the node started from a snapshot/ };
    assert.deepEqual(await blocks({ fromBlock: "0xc9", toBlock: "0xc9" }), [201, 201]);
    await assert.rejects(blocks({ fromBlock: "0xc8", toBlock: "0xc9" }), absent);
    await assert.rejects(blocks({ fromBlock: "earliest" }), absent);
    await assert.rejects(blocks({ blockHash: toData(chain.blocks[200]!.hash) }), absent);
    const { hash } = chain.blocks[200]!.transactions[0]!;
    await assert.rejects(ask(service, "eth_getTransactionReceipt", toData(hash)), absent);
  });

  it("searches elsewhere if the main thread would take long", async () => {
    const reader = chain.reader();
    const range = { fromBlock: "0x1", toBlock: "0x5" };
    const ofBlock = { blockHash: toData(chain.blocks[7]!.hash) };
    const expected = [await ask(service, "eth_getLogs", range), await ask(service, "eth_getLogs", ofBlock)];
    const elsewhere: unknown[] = [];
    const heavy: HeavyExecutor = {
      run(name, request, deadline) {
        elsewhere.push(name);
        return runTask(name, { chain: reader, config: DEFAULT_API_CONFIG }, request, deadline);
      },
      close: async () => undefined,
    };
    const slowly = () => {
      const end = performance.now() + 15;
      while (performance.now() < end);
    };
    const slow = {
      ...reader,
      *logsByBlock(query: LogQuery) {
        slowly();
        yield* reader.logsByBlock(query);
      },
      receipts(hash: Uint8Array) {
        slowly();
        return reader.receipts(hash);
      },
    };
    const busy = apiOver(chain, {}, { chain: slow, heavy });
    const found = [await ask(busy, "eth_getLogs", range), await ask(busy, "eth_getLogs", ofBlock)];
    assert.deepEqual(found, expected);
    assert.deepEqual(elsewhere, ["logs", "logs"]);
  });

  it("returns a log with its position in the block", async () => {
    const [, second] = await ask(service, "eth_getLogs", { fromBlock: "0x1", toBlock: "0x1" });
    const block = chain.blocks[1]!;
    assert.deepEqual(second, {
      logIndex: "0x1",
      blockNumber: "0x1",
      blockTimestamp: "0x6553f101",
      blockHash: toData(block.hash),
      transactionHash: toData(block.transactions[1]!.hash),
      transactionIndex: "0x1",
      address: toData(RICH),
      data: "0x01",
      topics: [B],
      removed: false,
    });
  });

  it("resolves ranges", async () => {
    assert.deepEqual(await blocks({}), [300, 300]);
    assert.deepEqual(await blocks({ fromBlock: null, toBlock: null }), [300, 300]);
    assert.deepEqual(await blocks({ fromBlock: "latest" }), [300, 300]);
    assert.deepEqual(await blocks({ toBlock: "latest" }), [300, 300]);
    assert.deepEqual(await blocks({ fromBlock: "0x12b" }), [299, 299, 300, 300]);
    assert.deepEqual(await blocks({ fromBlock: "299", toBlock: "pending" }), [299, 299, 300, 300]);
    assert.deepEqual(await blocks({ fromBlock: "0x12c", toBlock: "0xffffff" }), [300, 300]);
    assert.deepEqual(await blocks({ fromBlock: "earliest", toBlock: "0x1" }), [1, 1]);
    assert.deepEqual(await blocks({ fromBlock: "earliest", toBlock: "earliest" }), []);
    assert.deepEqual(await blocks({ fromBlock: "0xffff" }), []);
    assert.deepEqual(await blocks({ fromBlock: "pending" }), []);
    assert.equal((await blocks({ fromBlock: "earliest" })).length, 600);
  });

  it("rejects reversed and contradictory ranges", async () => {
    const reversed = { code: -32602, message: "invalid block range" };
    await assert.rejects(blocks({ fromBlock: "0x32", toBlock: "0x2f" }), reversed);
    await assert.rejects(blocks({ toBlock: "0x2f" }), reversed);
    await assert.rejects(blocks({ fromBlock: "latest", toBlock: "earliest" }), reversed);
    await assert.rejects(blocks({ blockHash: A, fromBlock: "0x1" }), {
      code: -32602,
      message: "Cannot specify both blockHash and fromBlock/toBlock",
    });
    await assert.rejects(blocks({ fromBlock: A }), { code: -32602 });
    await assert.rejects(blocks({ fromBlock: { blockNumber: "0x1" } }), { code: -32602, message: "Invalid input" });
  });

  it("queries one block by its hash, on any branch", async () => {
    assert.deepEqual(await blocks({ blockHash: toData(chain.blocks[7]!.hash) }), [7, 7]);
    const logs = await ask(service, "eth_getLogs", { blockHash: toData(side.hash), topics: [A] });
    assert.deepEqual([logs.length, logs[0].logIndex, logs[0].blockHash], [1, "0x1", toData(side.hash)]);
    assert.deepEqual(
      await blocks({ blockHash: toData(side.hash), fromBlock: null }),
      await blocks({ blockHash: toData(side.hash) }),
    );
  });

  it("matches addresses and topics by position", async () => {
    const count = async (match: object) => (await blocks({ fromBlock: "0x1", toBlock: "0x1", ...match })).length;
    const bySide = async (match: object) =>
      (await blocks({ blockHash: toData(chain.blocks[1]!.hash), ...match })).length;
    const cases: [object, number][] = [
      [{ address: toData(CONTRACT) }, 1],
      [{ address: [toData(CONTRACT), toData(RICH)] }, 2],
      [{ address: [] }, 2],
      [{ address: null }, 2],
      [{ topics: [] }, 2],
      [{ topics: null }, 2],
      [{ topics: A }, 1],
      [{ topics: [A] }, 1],
      [{ topics: [null, B] }, 1],
      [{ topics: [B, A] }, 0],
      [{ topics: [[A, B]] }, 2],
      [{ topics: [[A, null]] }, 2],
      [{ topics: [[], [], [], []] }, 2],
      [
        {
          topics: [
            [A, B],
            [A, B],
          ],
        },
        1,
      ],
      [{ address: toData(RICH), topics: [A] }, 0],
    ];
    for (const [match, expected] of cases) {
      assert.equal(await count(match), expected, JSON.stringify(match));
      assert.equal(await bySide(match), expected, JSON.stringify(match));
    }
    for (const match of [
      { address: "0x1" },
      { address: [null] },
      { topics: ["0x1"] },
      { topics: [{}] },
      { topics: [[[]]] },
    ]) {
      await assert.rejects(count(match), { code: -32602 });
    }
  });

  it("caps long ranges but not short ones", async () => {
    const logs = { ...DEFAULT_API_CONFIG.logs, maxLogs: 20, unlimitedRange: 50 };
    const message = (works: string) =>
      "Log response size exceeded: query returned more than 20 results. Use a block range of up to 50 blocks for an " +
      `unlimited response. This block range should work: ${works}`;
    assert.equal((await blocks({ fromBlock: "0x1", toBlock: "0x33" }, { logs })).length, 102);
    await assert.rejects(blocks({ fromBlock: "0x1", toBlock: "0x34" }, { logs }), {
      code: -32012,
      message: message("[0x1, 0x33]"),
    });
    const rare = { fromBlock: "0x1", toBlock: "0x34", topics: [B] };
    await assert.rejects(blocks(rare, { logs: { ...logs, maxLogs: 51 } }), {
      code: -32012,
      message: /should work: \[0x1, 0x33\]$/,
    });
    assert.equal((await blocks(rare, { logs: { ...logs, maxLogs: 52 } })).length, 52);
    await assert.rejects(
      blocks({ fromBlock: "0x1", toBlock: "0x34" }, { logs: { ...logs, maxLogs: 100, unlimitedRange: 5 } }),
      {
        message: /should work: \[0x1, 0x32\]$/,
      },
    );
    await assert.rejects(blocks({ fromBlock: "0x1", toBlock: "0x9" }, { logs: { ...logs, maxBlocks: 7 } }), {
      code: -32012,
      message: "Cannot query more than 7 blocks at once",
    });
    assert.equal((await blocks({ fromBlock: "0x1", toBlock: "0x8" }, { logs: { ...logs, maxBlocks: 7 } })).length, 16);
  });

  it("proposes a range whose logs fit the size of a response", async () => {
    const sized = { maxResponseSize: 4_500 };
    const refusal = await blocks({ fromBlock: "0x1", toBlock: "0xc8" }, sized).then(
      () => assert.fail("is answered"),
      (error: { code: number; message: string }) => error,
    );
    assert.equal(refusal.code, -32012);
    const [, from, to] = /4500 bytes\. This block range should work: \[(\w+), (\w+)\]$/.exec(refusal.message)!;
    const served = await blocks({ fromBlock: from, toBlock: to }, sized);
    assert.equal(served.at(-1), Number(to));
    const next = `0x${(Number(to) + 1).toString(16)}`;
    await assert.rejects(blocks({ fromBlock: from, toBlock: next }, sized), { code: -32012 });
    await assert.rejects(blocks({ fromBlock: "0x1" }, { maxResponseSize: 1000 }), {
      code: -32011,
      message: "Response size limit of 1000 bytes exceeded",
    });
  });

  it("refuses a block that is unknown, where the deployed client has no logs", async () => {
    const unknown = { blockHash: `0x${"ab".repeat(32)}` };
    for (const compatibility of ["specification", "development"]) {
      await assert.rejects(blocks(unknown, { compatibility }), { code: -32000, message: "unknown block" });
    }
    assert.deepEqual(await blocks(unknown, { compatibility: "deployed" }), []);
  });

  it("stops early at the time limit", async () => {
    chain.onLogs = () => {
      const until = performance.now() + 3;
      while (performance.now() < until);
    };
    await assert.rejects(blocks({ fromBlock: "0x1" }, { timeout: 2 }), {
      code: -32011,
      message: "Execution has got timeout out.",
    });
  });

  it("restarts if a reorganisation happens during the search", async () => {
    let looks = 0;
    const replaced = chain.blocks[300]!;
    chain.onLogs = () => {
      if (++looks === 2) chain.blocks[300] = side;
    };
    const logs = await ask(service, "eth_getLogs", { fromBlock: "0x1", toBlock: "latest" });
    chain.blocks[300] = replaced;
    assert.equal(looks, 600);
    assert.equal(logs.at(-1).blockHash, toData(side.hash));
  });
});
