import assert from "node:assert/strict";
import { type ChainEvent, storedBlock } from "@cambium/chain";
import { local } from "@cambium/config";
import { toData } from "@cambium/primitives";
import { CONTRACT, FakeChain, makeLog, TOPIC_A } from "@cambium/test-utils/api/fake-chain";
import { FakeLocalMiner } from "@cambium/test-utils/api/fake-miner";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { rewardTransaction, type Transaction } from "@cambium/types";
import type { MethodParts } from "../src/definition/method.js";
import { FilterRegistry } from "../src/filters/filter-registry.js";
import { Journal } from "../src/filters/journal.js";
import type { LogFilter } from "../src/logs/log-filter.js";
import { ChainFeed } from "../src/sources/chain-feed.js";
import { ask, type Json, partsOver, type Service, serviceOf } from "./support/service.js";

/** A service with a chain, a pool and a clock that the test controls. */
class Bench {
  readonly chain = new FakeChain(local);
  readonly logged: object[] = [];
  readonly registry: FilterRegistry;
  readonly api: Service;
  private receive: (event: ChainEvent) => void = () => {};
  private hearPending: (transactions: readonly Transaction[]) => void = () => {};
  now = 0;

  constructor(changes = {}, parts: Partial<MethodParts> = {}) {
    const own = partsOver(this.chain, changes);
    const events = {
      on: (listener: (event: ChainEvent) => void) => {
        this.receive = listener;
        return () => {};
      },
    };
    this.registry = new FilterRegistry({
      ...own,
      feed: new ChainFeed(own.chain, events),
      pendingTransactions: {
        onPending: (listener) => {
          this.hearPending = listener;
          return () => {};
        },
      },
      logger: { ...SILENT, info: (data) => this.logged.push(data) },
      now: () => this.now,
    });
    this.api = serviceOf({ ...own, ...parts, filters: this.registry });
  }

  ask(method: string, ...params: Json[]): Promise<Json> {
    return ask(this.api, method, ...params);
  }

  extend(...logs: Parameters<FakeChain["extend"]>): string {
    const block = this.chain.extend(...logs);
    const receipts = this.chain.reader().receipts(block.hash)!;
    this.receive({ kind: "newHead", ...storedBlock(block, receipts, "sync") });
    return toData(block.hash);
  }

  announce(transactions: readonly Transaction[]): void {
    this.hearPending(transactions);
  }
}

const client = (identity: string) => ({ identity, share: identity });

const NOT_FOUND = { code: -32000, message: "filter not found" };
const UNKNOWN = `0x${"12".repeat(16)}`;

describe("polling filters", () => {
  it("report each item once, in order", async () => {
    const bench = new Bench();
    const [blocks, pending, logs] = [
      await bench.ask("eth_newBlockFilter"),
      await bench.ask("eth_newPendingTransactionFilter"),
      await bench.ask("eth_newFilter", { address: toData(CONTRACT) }),
    ];
    for (const id of [blocks, pending, logs]) assert.match(id, /^0x[1-9a-f][0-9a-f]{31}$/);
    const hashes = [
      bench.extend([[makeLog(CONTRACT), makeLog(new Uint8Array(20))]]),
      bench.extend([[makeLog(CONTRACT)]]),
    ];
    bench.announce([rewardTransaction(1), rewardTransaction(2)]);
    assert.deepEqual(await bench.ask("eth_getFilterChanges", blocks), hashes);
    assert.deepEqual(
      await bench.ask("eth_getFilterChanges", pending),
      [1, 2].map((number) => toData(rewardTransaction(number).hash)),
    );
    const changes = await bench.ask("eth_getFilterChanges", logs);
    assert.deepEqual(
      changes.map(({ blockNumber, logIndex, removed }: Json) => [blockNumber, logIndex, removed]),
      [
        ["0x1", "0x0", false],
        ["0x2", "0x0", false],
      ],
    );
    for (const id of [blocks, pending, logs]) assert.deepEqual(await bench.ask("eth_getFilterChanges", id), []);
  });

  it("accept any spelling of an id's number", async () => {
    const bench = new Bench();
    const id: string = await bench.ask("eth_newBlockFilter");
    for (const form of [id.toUpperCase().replace("X", "x"), id.slice(2), `0x00${id.slice(2)}`]) {
      assert.deepEqual(await bench.ask("eth_getFilterChanges", form), [], form);
    }
    assert.equal(await bench.ask("eth_uninstallFilter", `0x00${id.slice(2)}`), true);
    assert.equal(await bench.ask("eth_uninstallFilter", id), false);
    for (const method of ["eth_getFilterChanges", "eth_getFilterLogs"]) {
      await assert.rejects(bench.ask(method, UNKNOWN), (error) => {
        assert.deepEqual(error, NOT_FOUND);
        return true;
      });
    }
    for (const malformed of ["0xzz", 5.5, null, {}]) {
      for (const method of ["eth_getFilterChanges", "eth_getFilterLogs", "eth_uninstallFilter"]) {
        await assert.rejects(bench.ask(method, malformed), (error: Json) => {
          assert.deepEqual(error, { code: -32602, message: "Invalid data format: invalid hex value." });
          return true;
        });
      }
    }
  });

  it("run the whole query again for eth_getFilterLogs", async () => {
    const bench = new Bench();
    bench.extend([[makeLog(CONTRACT, [TOPIC_A])]]);
    const all = await bench.ask("eth_newFilter", { fromBlock: "earliest" });
    const ofBlocks = await bench.ask("eth_newBlockFilter");
    bench.extend([[makeLog(CONTRACT)]]);
    assert.equal((await bench.ask("eth_getFilterLogs", all)).length, 2);
    assert.equal((await bench.ask("eth_getFilterLogs", all)).length, 2);
    assert.equal((await bench.ask("eth_getFilterChanges", all)).length, 1);
    await assert.rejects(bench.ask("eth_getFilterLogs", ofBlocks), (error) => {
      assert.deepEqual(error, NOT_FOUND);
      return true;
    });
  });

  it("respect their block range", async () => {
    const bench = new Bench();
    const logs = [[makeLog(CONTRACT)]];
    const upTo2 = await bench.ask("eth_newFilter", { toBlock: "0x2" });
    const from3 = await bench.ask("eth_newFilter", { fromBlock: "0x3" });
    const latest = await bench.ask("eth_newFilter", { fromBlock: "latest", toBlock: "pending" });
    for (let i = 0; i < 4; i++) bench.extend(logs);
    const numbers = async (id: string) =>
      (await bench.ask("eth_getFilterChanges", id)).map(({ blockNumber }: Json) => Number(blockNumber));
    assert.deepEqual(
      [await numbers(upTo2), await numbers(from3), await numbers(latest)],
      [
        [1, 2],
        [3, 4],
        [1, 2, 3, 4],
      ],
    );
    const invalid = [
      { fromBlock: "0x9", toBlock: "0x8" },
      { toBlock: "0x1" },
      { blockHash: UNKNOWN },
      { address: 1 },
      [],
    ];
    for (const filter of [...invalid, { blockHash: `0x${"12".repeat(32)}` }]) {
      await assert.rejects(bench.ask("eth_newFilter", filter), (error: Json) => error.code === -32602);
    }
  });

  it("expire five minutes after their last use", async () => {
    const bench = new Bench();
    const used = await bench.ask("eth_newFilter", {});
    const unused = await bench.ask("eth_newBlockFilter");
    for (let minute = 4; minute <= 12; minute += 4) {
      bench.now = minute * 60_000;
      await bench.ask(minute === 8 ? "eth_getFilterLogs" : "eth_getFilterChanges", used);
    }
    await assert.rejects(bench.ask("eth_getFilterChanges", unused));
    assert.equal(await bench.ask("eth_uninstallFilter", unused), false);
    assert.equal(bench.registry.size, 1);
  });

  it("are limited in addresses and topics, and so are log queries", async () => {
    const bench = new Bench();
    const address = Array.from({ length: 999 }, (_, i) => `0x${i.toString(16).padStart(40, "0")}`);
    const topic = toData(TOPIC_A);
    await bench.ask("eth_newFilter", { address, topics: [topic] });
    await bench.ask("eth_newFilter", { address, topics: [null] });
    const tooMany: [number, object][] = [
      [1001, { address, topics: [[topic, topic]] }],
      [1001, { address, topics: [null, topic] }],
      [110_000, { address: Array.from({ length: 110_000 }, () => address[0]) }],
      [72_000, { topics: [Array.from({ length: 72_000 }, () => topic)] }],
      [200_000, { topics: Array.from({ length: 200_000 }, () => null) }],
    ];
    for (const [count, filter] of tooMany) {
      const message = `Too many addresses and topics: ${count}, at most 1000 are allowed`;
      for (const method of ["eth_newFilter", "eth_getLogs"]) {
        await assert.rejects(bench.ask(method, filter), (error) => {
          assert.deepEqual(error, { code: -32602, message });
          return true;
        });
      }
    }
  });

  it("are limited in memory for each client, and in all", () => {
    const { registry } = new Bench({ filters: { maxFilters: 10_000, expiry: 1000, maxBytes: 8_000_000 } });
    const addresses = Array.from({ length: 900 }, () => CONTRACT);
    const query: LogFilter = {
      match: { addresses, topics: [] },
      blocks: { kind: "range", from: undefined, to: undefined },
    };
    const id = registry.addLogFilter(query, client("greedy"));
    assert.throws(() => registry.addLogFilter(query, client("greedy")), { code: "SERVER_ERROR" });
    registry.addLogFilter(query, client("other"));
    assert.equal(registry.uninstall(id), true);
    registry.addLogFilter(query, client("greedy"));
  });

  it("make room for other clients", async () => {
    const { registry } = new Bench({ filters: { maxFilters: 3, expiry: 1000, maxBytes: 1_000_000 } });
    const [polled, unused] = [1, 2].map(() => registry.addBlockFilter(client("greedy"))) as [string, string];
    const honest = registry.addBlockFilter(client("honest"));
    await registry.changes(polled);
    assert.throws(() => registry.addBlockFilter(client("greedy")), { code: "SERVER_ERROR" });
    const second = registry.addBlockFilter(client("second"));
    assert.throws(() => registry.changes(unused), { code: "SERVER_ERROR" });
    for (const id of [polled, honest, second]) assert.deepEqual(await registry.changes(id), []);
  });

  it("are limited in number", async () => {
    const bench = new Bench({ filters: { maxFilters: 2, expiry: 1000 } });
    await bench.ask("eth_newFilter", {});
    await bench.ask("eth_newBlockFilter");
    for (const method of ["eth_newBlockFilter", "eth_newPendingTransactionFilter"]) {
      await assert.rejects(bench.ask(method), (error) => {
        assert.deepEqual(error, { code: -32000, message: "too many filters" });
        return true;
      });
    }
    bench.now = 1001;
    await bench.ask("eth_newBlockFilter");
  });

  it("drop the oldest hashes beyond 20000 and log it", async () => {
    const bench = new Bench();
    const id = await bench.ask("eth_newPendingTransactionFilter");
    const transaction = rewardTransaction(1);
    for (let i = 0; i < 45; i++) bench.announce(Array.from({ length: 1000 }, () => transaction));
    assert.equal((await bench.ask("eth_getFilterChanges", id)).length, 20_000);
    assert.deepEqual(bench.logged.at(-1), { kind: "pending", lost: 25_000 });
  });

  it("return long lists of logs in parts, without loss", async () => {
    const bench = new Bench({ maxResponseSize: 100_000 });
    const id = await bench.ask("eth_newFilter", {});
    const logs = [Array.from({ length: 20 }, () => makeLog(CONTRACT, [TOPIC_A], new Uint8Array(100)))];
    for (let i = 0; i < 50; i++) bench.extend(logs);
    const polled: Json[] = [];
    let polls = 0;
    for (let part = await bench.ask("eth_getFilterChanges", id); part.length > 0; polls++) {
      polled.push(...part);
      part = await bench.ask("eth_getFilterChanges", id);
    }
    assert(polls > 5);
    const places = polled.map(({ blockNumber, logIndex }) => Number(blockNumber) * 100 + Number(logIndex));
    assert.equal(places.length, 1000);
    assert.deepEqual(
      places,
      [...places].sort((a, b) => a - b),
    );
  });

  it("serialise overlapping polls of one filter", async () => {
    const bench = new Bench();
    const id = await bench.ask("eth_newFilter", {});
    for (let i = 0; i < 30; i++) bench.extend([[makeLog(CONTRACT)]]);
    const parts = await Promise.all(Array.from({ length: 5 }, () => bench.ask("eth_getFilterChanges", id)));
    assert.deepEqual(
      parts.map(({ length }) => length),
      [30, 0, 0, 0, 0],
    );
  });

  it("never mine", async () => {
    for (const mode of [{ kind: "automatic" }, { kind: "on-demand" }] as const) {
      const miner = new FakeLocalMiner(mode);
      const bench = new Bench({}, { localMiner: miner.api() });
      assert.deepEqual(await bench.ask("eth_getFilterChanges", await bench.ask("eth_newBlockFilter")), []);
      assert.deepEqual(miner.asked, []);
    }
  });
});

describe("journal", () => {
  it("keeps positions when it drops entries", () => {
    const journal = new Journal<number>(10);
    for (let i = 0; i < 57; i++) {
      journal.append(i);
      assert.equal(journal.at(i), i);
      assert.equal(journal.end, i + 1);
      assert(journal.end - journal.start <= 20);
    }
    journal.forgetBefore(55);
    assert.deepEqual([journal.start, journal.at(54), journal.at(55), journal.at(57)], [55, undefined, 55, undefined]);
    journal.forgetBefore(3);
    journal.forgetBefore(1000);
    assert.deepEqual([journal.start, journal.end], [57, 57]);
  });
});
