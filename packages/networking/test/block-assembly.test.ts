import assert from "node:assert/strict";
import { concatBytes, encodeRlp, fromHex, toHex } from "@cambium/primitives";
import { fc } from "@cambium/test-utils/properties";
import { decodeExtension, encodeExtension } from "@cambium/types";
import { assembleBlock, checkBody } from "../src/index.js";
import { invalidAnswer, malformed } from "./wire/assertions.js";
import { type BlockSample, blockSample, compressed, rawList } from "./wire/samples.js";

const samples = fc.sample(blockSample, { numRuns: 40, seed: 7 });

function ofVersion(version: 0 | 1 | 2): BlockSample {
  return samples.find(({ header, body }) => header.version === version && body.transactions.length > 1)!;
}

describe("blocks from header and body", () => {
  it("are the whole block, for a full and a compressed header", () => {
    fc.assert(
      fc.property(blockSample, (sample) => {
        const { header, body, network, encoded } = sample;
        for (const one of [header, compressed(sample)]) {
          checkBody(one, body, network);
          assert.equal(toHex(assembleBlock(one, body)), toHex(encoded));
        }
      }),
    );
  });

  it("need the lists that the header commits to", () => {
    fc.assert(
      fc.property(blockSample, rawList, (sample, other) => {
        const { body, network } = sample;
        const header = compressed(sample);
        const longer = { ...body, transactions: [...body.transactions, other] };
        invalidAnswer(() => checkBody(header, longer, network), /transactions root/);
        const uncles = concatBytes(encodeRlp([other]), other);
        invalidAnswer(() => checkBody(header, { ...body, uncles }, network), /uncles hash/);
        invalidAnswer(() => checkBody(header, { ...body, hash: new Uint8Array(32) }, network), /another block/);
      }),
    );
  });

  it("need the transactions in order", () => {
    const sample = ofVersion(0);
    const transactions = [...sample.body.transactions].reverse();
    const body = { ...sample.body, transactions };
    invalidAnswer(() => checkBody(sample.header, body, sample.network), /transactions root/);
  });

  it("need the extension if and only if the header has one", () => {
    const extension = ofVersion(1).body.extension!;
    const plain = ofVersion(0);
    invalidAnswer(() => checkBody(plain.header, { ...plain.body, extension }, plain.network), /the header has none/);
    for (const version of [1, 2] as const) {
      const sample = ofVersion(version);
      for (const header of [sample.header, compressed(sample)]) {
        const without = { ...sample.body, extension: undefined };
        invalidAnswer(() => checkBody(header, without, sample.network), /no extension/);
        invalidAnswer(() => assembleBlock(header, without), /no extension/);
      }
    }
  });

  it("need the exact bytes of the extension", () => {
    for (const version of [1, 2] as const) {
      const sample = ofVersion(version);
      const right = decodeExtension(sample.body.extension!);
      const check = (header: typeof sample.header, extension: Uint8Array) =>
        checkBody(header, { ...sample.body, extension }, sample.network);
      const wrong = [
        encodeExtension({ ...right, logsBloom: new Uint8Array(256) }),
        encodeExtension({ ...right, executionEdges: null }),
        encodeExtension({
          ...right,
          version: version === 1 ? 2 : 1,
          baseEvent: version === 1 ? new Uint8Array(0) : null,
        }),
      ];
      for (const header of [sample.header, compressed(sample)]) {
        for (const extension of wrong) invalidAnswer(() => check(header, extension), /extension/);
      }
      malformed(() => check(compressed(sample), fromHex("c0")), /extension/);
      malformed(() => check(compressed(sample), fromHex("c2")), /extension/);
      malformed(() => check(compressed(sample), encodeRlp([fromHex("03"), fromHex("c0")])), /extension/);
    }
  });
});
