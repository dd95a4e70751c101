import assert from "node:assert/strict";
import { NETWORKS } from "@cambium/config";
import { bigintToBytes, decodeRlpList, encodeRlp, equalBytes, fromHex, keccak256, toHex } from "@cambium/primitives";
import { OUT_OF_RANGE } from "../src/header-decoding.js";
import { BlockHeader } from "../src/index.js";
import { headerBytes, headerT, listOf } from "./samples.js";

const { main, test } = NETWORKS;
const MAX = 2n ** 63n - 1n;
const NUMBER = 8;
const GAS_USED = 10;
const TIMESTAMP = 11;

const rlp = (value: bigint): Uint8Array => encodeRlp(bigintToBytes(value));

/** Header T of version 0 on the main network, with some encoded items replaced. */
function bytesWith(replaced: Record<number, Uint8Array>): Uint8Array {
  const items = decodeRlpList(headerT(0).encode("full")).map((item, i) => replaced[i] ?? item.raw);
  return listOf(items);
}

describe("range of header fields", () => {
  it("keeps timestamps exact up to 2^63 - 1", () => {
    for (const timestamp of [0n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 62n + 3n, MAX]) {
      const bytes = bytesWith({ [TIMESTAMP]: rlp(timestamp) });
      const header = BlockHeader.decode(bytes, main);
      assert.equal(header.timestamp, timestamp);
      assert.ok(equalBytes(header.encode("full"), bytes));
    }
    const padded = bytesWith({ [TIMESTAMP]: fromHex("89007fffffffffffffff") });
    assert.equal(BlockHeader.decode(padded, main).timestamp, MAX);
  });

  it("hashes and encodes numbers and gas out of range exactly", () => {
    for (const value of [2n ** 53n, 2n ** 53n + 1n, MAX]) {
      const bytes = bytesWith({ [NUMBER]: rlp(value), [GAS_USED]: rlp(value) });
      const header = BlockHeader.decode(bytes, main);
      assert.deepEqual([header.number, header.gasUsed], [OUT_OF_RANGE, OUT_OF_RANGE]);
      assert.ok(equalBytes(header.encode("full"), bytes));
      assert.ok(equalBytes(header.hash, keccak256(header.encode("hash"))));
      const repaired = header.with({ number: 7_200_000, gasUsed: 21_000 });
      assert.equal(toHex(repaired.encode("full")), toHex(headerT(0).encode("full")));
    }
  });

  it("rejects 2^63 and above", () => {
    for (const index of [NUMBER, GAS_USED, TIMESTAMP]) {
      for (const value of [MAX + 1n, 2n ** 64n]) {
        const bytes = bytesWith({ [index]: rlp(value) });
        assert.throws(() => BlockHeader.decode(bytes, main), { code: "HEADER_FIELD" });
      }
    }
  });

  it("requires a bloom of any length in a full header of version 1 or 2", () => {
    const full = (version: 1 | 2, length: number) => {
      const number = version === 1 ? 7_200_000 : 7_900_000;
      const header = headerT(version, { number, logsBloom: new Uint8Array(length) });
      return BlockHeader.decode(header.encode("full"), test);
    };
    for (const version of [1, 2] as const) {
      assert.throws(() => full(version, 0), { code: "HEADER_FIELD" });
      assert.equal(full(version, 1).logsBloom.length, 1);
    }
    const old = headerT(0, { logsBloom: new Uint8Array(0) });
    assert.equal(BlockHeader.decode(old.encode("full"), main).logsBloom.length, 0);
  });

  it("decodes fields of a million bytes without delay", () => {
    const long = `ba0f4240${"7f".repeat(1_000_000)}`;
    for (const index of [6, 7, 9, 12, 13, 14]) {
      const header = BlockHeader.decode(headerBytes(700_000, "", { [index]: long }), main);
      assert.equal(header.hash.length, 32);
      assert.equal(header.hashForMergedMining.length, 32);
      void [header.fields(), header.encode("compressed"), header.hasExtension && header.encode("full")];
    }
  });
});
