import assert from "node:assert/strict";
import {
  decodeRlpItem,
  decodeRlpList,
  encodeRlp,
  leftPad,
  numberToBytes,
  RawRlp,
  type RlpItem,
} from "@cambium/primitives";
import { fc, runs } from "@cambium/test-utils/properties";
import { type BlockHeader, bloomOfLogs, encodeReceipt, type Log, rewardTransaction } from "@cambium/types";
import type { LogQuery } from "../../src/index.js";
import { logMatcher } from "../../src/logs/log-index.js";
import { LogSearch } from "../../src/logs/log-search.js";

const address = (id: number) => leftPad(numberToBytes(id + 1), 20);
const topic = (id: number) => leftPad(numberToBytes(id + 1), 32);
const header = { hash: topic(99), number: 7, timestamp: 1_600_000_000n } as BlockHeader;
/** One for each position: their numbers differ. */
const transactions = [0, 1, 2, 3, 4].map(rewardTransaction);

const logs: fc.Arbitrary<Log> = fc.record(
  {
    address: fc.nat(3).map(address),
    topics: fc.array(fc.nat(3).map(topic), { maxLength: 4 }),
    data: fc.constant(new Uint8Array(0)),
  },
  { noNullPrototype: true },
);

const queries: fc.Arbitrary<LogQuery> = fc.record({
  fromBlock: fc.constant(7),
  toBlock: fc.constant(7),
  addresses: fc.option(fc.array(fc.nat(4).map(address), { maxLength: 2 }), { nil: undefined }),
  topics: fc.option(fc.array(fc.option(fc.array(fc.nat(4).map(topic), { maxLength: 2 })), { maxLength: 3 }), {
    nil: undefined,
  }),
});

function receipt(own: Log[]): RlpItem {
  const value = { status: 1, gasUsed: 1, cumulativeGas: 1, logsBloom: bloomOfLogs(own), logs: own } as const;
  return decodeRlpItem(encodeReceipt(value));
}

function searchIn(receipts: readonly Log[][], query: LogQuery, known = transactions.length): LogSearch {
  return new LogSearch(
    {
      encodedReceipts: () => receipts.map(receipt),
      encodedTransactions: () =>
        decodeRlpList(encodeRlp(transactions.map(({ encoded }) => new RawRlp(encoded)))).slice(0, known),
    },
    query,
  );
}

describe("log search", () => {
  it("finds what a scan of all logs finds, with the same positions", () => {
    const blocks = fc.array(fc.array(logs, { maxLength: 3 }), { maxLength: transactions.length });
    fc.assert(
      fc.property(blocks, queries, (receipts, query) => {
        const search = searchIn(receipts, query);
        const matches = logMatcher(query);
        const all = receipts.flatMap((own, transactionIndex) => own.map((log) => ({ log, transactionIndex })));
        const wanted = all.flatMap(({ log, transactionIndex }, logIndex) => {
          const transactionHash = transactions[transactionIndex]!.hash;
          const at = { blockHash: header.hash, blockNumber: 7, blockTimestamp: header.timestamp };
          return matches(log) ? [{ log, ...at, transactionHash, transactionIndex, logIndex }] : [];
        });
        assert.deepEqual(search.logsOf(header), wanted);
        if (wanted.length > 0) assert(search.mayMatch(bloomOfLogs(receipts.flat())));
      }),
      { numRuns: runs(300) },
    );
  });

  it("reports a block with fewer transactions than receipts as damage", () => {
    const log = { address: address(1), topics: [], data: new Uint8Array(0) };
    const search = searchIn([[], [log]], { fromBlock: 7, toBlock: 7 }, 1);
    assert.throws(() => search.logsOf(header), { code: "DATABASE_DAMAGED" });
  });
});
