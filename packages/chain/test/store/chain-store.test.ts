import assert from "node:assert/strict";
import { ChainStore, locatedReceipts, TABLES } from "@cambium/chain-store";
import { NETWORKS } from "@cambium/config";
import type { Table } from "@cambium/database";
import { encodeRlp, equalBytes, RawRlp } from "@cambium/primitives";
import { BlockHeader, encodeReceipt, type Log, type Receipt } from "@cambium/types";
import { header, parentChainHeader } from "../support.js";

const PROOF = {
  ummRoot: new Uint8Array(0),
  parentChainHeader: parentChainHeader(1),
  merkleProof: new Uint8Array(32),
  parentChainCoinbase: new Uint8Array(10),
};

describe("chain store", () => {
  it("keeps the uncles of an old block, which contracts may read again and again", () => {
    const uncle = header({ ...PROOF, number: 1, extraData: new Uint8Array(1_000) });
    const encoded = header({ ...PROOF, number: 2, unclesHash: new Uint8Array(32).fill(1) }).encode("full");
    const { hash } = BlockHeader.decode(encoded, NETWORKS.local);
    const stored = new Map<Table, Uint8Array>([
      [TABLES.headers, encoded],
      [TABLES.uncles, encodeRlp([new RawRlp(uncle.encode("full"))])],
    ]);
    let reads = 0;
    const get = (table: Table) => {
      if (table === TABLES.uncles) reads++;
      return stored.get(table);
    };
    const store = new ChainStore({ get }, NETWORKS.local);
    const [first, again] = [store.uncles(hash)!, store.uncles(hash)];
    assert.equal(first[0]!.extraData.length, 1_000);
    assert.equal(again, first);
    assert.equal(reads, 1);
  });

  it("reads one receipt and the index of its first log without decoding the others", () => {
    const log = { address: new Uint8Array(20), topics: [new Uint8Array(32)], data: new Uint8Array(5) };
    const receipts = [2, 0, 3].map((count, i): Receipt => {
      const logs = new Array<Log>(count).fill(log);
      return { status: 1, cumulativeGas: i, logsBloom: new Uint8Array(256), logs, gasUsed: i };
    });
    const [hash, unknown] = [new Uint8Array(32), new Uint8Array(32).fill(1)];
    const encoded = receipts.map((receipt) => new RawRlp(encodeReceipt(receipt)));
    const damaged = new RawRlp(Uint8Array.of(0xc0));
    const storing = (...items: RawRlp[]) => {
      const get = (table: Table, key: Uint8Array) =>
        table === TABLES.receipts && equalBytes(key, hash) ? encodeRlp(items) : undefined;
      return new ChainStore({ get }, NETWORKS.local);
    };
    const store = storing(...encoded);
    const one = () => [0, 1, 2, 3].map((index) => store.receipt(hash, index));
    const expected = [...locatedReceipts(receipts), undefined];
    assert.deepEqual(one(), expected);
    assert.deepEqual(
      expected.map((located) => located?.firstLog),
      [0, 2, 2, undefined],
    );
    assert.deepEqual(store.receipts(hash), receipts);
    assert.deepEqual(one(), expected, "from the cache");
    assert.equal(store.receipt(unknown, 0), undefined);
    assert.deepEqual(storing(encoded[0]!, damaged).receipt(hash, 0), expected[0]);
    for (const index of [0, 1]) {
      assert.throws(() => storing(damaged, encoded[0]!).receipt(hash, index), { code: "RECEIPT_MALFORMED" });
    }
  });
});
