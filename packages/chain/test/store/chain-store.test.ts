import assert from "node:assert/strict";
import { ChainStore, TABLES } from "@cambium/chain-store";
import { NETWORKS } from "@cambium/config";
import type { Table } from "@cambium/database";
import { encodeRlp, RawRlp } from "@cambium/primitives";
import { BlockHeader } from "@cambium/types";
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
});
