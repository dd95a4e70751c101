import assert from "node:assert/strict";
import { type KeyValueReader, MemoryDatabase } from "@cambium/database";
import { leftPad, numberToBytes } from "@cambium/primitives";
import { fc, runs } from "@cambium/test-utils/properties";
import type { Log, Receipt } from "@cambium/types";
import type { LogQuery } from "../../src/index.js";
import { CHUNK_BLOCKS, candidateBlocks, completeChunks, LogIndexWriter, logMatcher } from "../../src/logs/log-index.js";

const address = (id: number) => leftPad(numberToBytes(id + 1), 20);
const topic = (id: number) => leftPad(numberToBytes(id + 1), 32);

const logArbitrary: fc.Arbitrary<Log> = fc.record({
  address: fc.nat(3).map(address),
  topics: fc.array(fc.nat(3).map(topic), { maxLength: 4 }),
  data: fc.constant(new Uint8Array(0)),
});

const queryArbitrary: fc.Arbitrary<LogQuery> = fc.record({
  fromBlock: fc.nat(3 * CHUNK_BLOCKS),
  toBlock: fc.nat(3 * CHUNK_BLOCKS),
  addresses: fc.option(fc.array(fc.nat(4).map(address), { maxLength: 2 }), { nil: undefined }),
  topics: fc.option(fc.array(fc.option(fc.array(fc.nat(4).map(topic), { maxLength: 2 })), { maxLength: 3 }), {
    nil: undefined,
  }),
});

function receiptsWith(logs: Log[]): Receipt[] {
  return [{ status: 1, gasUsed: 1, cumulativeGas: 1, logsBloom: new Uint8Array(256), logs }];
}

describe("log index", () => {
  it("finds every block with a matching log as far as it is complete", async () => {
    const placed = fc.array(fc.tuple(fc.nat(3 * CHUNK_BLOCKS - 1), logArbitrary), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(placed, queryArbitrary, async (logs, query) => {
        const database = new MemoryDatabase();
        const writer = new LogIndexWriter(database);
        for (let number = 0; number <= 3 * CHUNK_BLOCKS; number++) {
          const own = logs.filter(([at]) => at === number).map(([, log]) => log);
          await database.write(writer.add(number, receiptsWith(own)));
        }
        assert.equal(completeChunks(database), 3);
        const found = new Set(candidateBlocks(database, query));
        const matches = logMatcher(query);
        for (const [number, log] of logs) {
          const wanted = number >= query.fromBlock && number <= query.toBlock && matches(log);
          if (wanted) assert(found.has(number));
        }
        assert.deepEqual(
          [...found],
          [...found].sort((a, b) => a - b),
        );
      }),
      { numRuns: runs(20) },
    );
  });

  it("indexes blocks of a complete chunk again after a reorganisation", async () => {
    const database = new MemoryDatabase();
    const writer = new LogIndexWriter(database);
    for (let number = 0; number <= CHUNK_BLOCKS; number++) await database.write(writer.add(number, []));
    const log = { address: address(9), topics: [topic(9)], data: new Uint8Array(0) };
    await database.write(writer.add(200, receiptsWith([log])));
    const query = { fromBlock: 0, toBlock: CHUNK_BLOCKS, addresses: [address(9)] };
    assert.deepEqual([...candidateBlocks(database, query)], [200]);
  });

  it("reads in proportion to the matches, not to the range", async () => {
    const database = new MemoryDatabase();
    const writer = new LogIndexWriter(database);
    const length = 1_000_000;
    const log = { address: address(9), topics: [topic(9)], data: new Uint8Array(0) };
    for (let number = 0; number <= length; number += length / 4) {
      await database.write(writer.add(number, receiptsWith([log])));
    }
    let reads = 0;
    const counted: KeyValueReader = {
      get(table, key) {
        reads++;
        return database.get(table, key);
      },
    };
    const search = (id: number) => {
      reads = 0;
      return [...candidateBlocks(counted, { fromBlock: 0, toBlock: length, addresses: [address(id)] })];
    };
    assert.deepEqual(search(9), [0, 250_000, 500_000, 750_000]);
    assert(reads <= 1 + 16 + 4, `${reads} reads`);
    assert.deepEqual(search(8), []);
    assert(reads <= 1 + 16, `${reads} reads`);
  });

  it("matches the same logs as a naive scan", () => {
    const log = { address: address(1), topics: [topic(1)], data: new Uint8Array(0) };
    const query = { fromBlock: 0, toBlock: 9 };
    assert(logMatcher(query)(log));
    assert(logMatcher({ ...query, topics: [null, null] })(log));
    assert(logMatcher({ ...query, topics: [[topic(1)], []] })(log));
    assert(!logMatcher({ ...query, topics: [[topic(1)], [topic(1)]] })(log));
    assert(!logMatcher({ ...query, addresses: [address(2)] })(log));
  });
});
