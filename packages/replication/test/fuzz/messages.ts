import assert from "node:assert/strict";
import { equalBytes, RlpError, utf8 } from "@cambium/primitives";
import { attempt, decoding, type FuzzTarget, PlainError, textOf } from "@cambium/test-utils/fuzz-target";
import { Transaction, TypesError } from "@cambium/types";
import { headers, type MsgHdrs } from "@nats-io/transport-node";
import { openManifest, sealManifest } from "../../src/copies/manifest.js";
import { ReplicationError, sealedStream } from "../../src/index.js";
import { decodeNews, decodePart, encodeNews, encodePart } from "../../src/pool/pool-message.js";
import { decodePiece, pieceHeaders, readPiece } from "../../src/stream-message.js";

const STREAM = sealedStream({ servers: [], stream: "s" }, { genesis: new Uint8Array(32), keys: [new Uint8Array(32)] });
const { seal } = STREAM;
const LINK = { sequence: 9, hash: new Uint8Array(8).fill(1), previous: new Uint8Array(8).fill(2) };
const PIECE = { batch: LINK, base: LINK, index: 0, count: 2, term: 3, head: { number: 4, hash: new Uint8Array(32) } };
const MANIFEST = {
  version: 1 as const,
  made: 1,
  base: LINK,
  last: LINK,
  files: [{ name: "CURRENT", size: 1, modified: 2, sha256: "ab".repeat(32) }],
};

/** Parses headers from lines; omits those that the client library does not accept. */
function headersFrom(text: string): MsgHdrs {
  const out = headers();
  for (const line of text.split("\n")) {
    const [name = "", ...value] = line.split(": ");
    attempt(() => out.append(name, value.join(": ")), [Error]);
  }
  return out;
}

function linesOf(from: MsgHdrs): Uint8Array {
  return utf8(
    from
      .keys()
      .map((name) => `${name}: ${from.get(name)}`)
      .join("\n"),
  );
}

const sealed = pieceHeaders(PIECE, 1, new Uint8Array(), seal);

export const targets: Readonly<Record<string, FuzzTarget>> = {
  "batch-headers": decoding({
    seeds: () => [linesOf(sealed)],
    words: sealed.keys(),
    decode: (input) => decodePiece(headersFrom(textOf(input))),
    refusals: [],
    check(piece, input) {
      if (piece === undefined) return;
      const data = input.slice(0, 3);
      const again = pieceHeaders(piece, 5, data, seal);
      assert.deepEqual(readPiece({ seq: 5, headers: again, data }, seal), piece);
      assert.equal(readPiece({ seq: 6, headers: again, data }, seal), undefined);
      const given = headersFrom(textOf(input));
      for (const name of again.keys()) if (name !== "Cambium-Mac") assert.equal(given.get(name), again.get(name));
    },
  }),
  "copy-list": decoding({
    seeds: () => [sealManifest(MANIFEST, seal).subarray(64)],
    words: ["CURRENT", "MANIFEST-1", "../CURRENT", "000001.ldb", "__proto__"],
    decode: (input) => openManifest(Buffer.concat([utf8(seal.of("copy", [], input)), input]), STREAM),
    refusals: [ReplicationError],
    check(manifest) {
      assert.ok(manifest !== undefined, "it is sealed");
      for (const { name } of manifest.files) assert.doesNotMatch(name, /[/\\]|\.\./);
      assert.deepEqual(openManifest(sealManifest(manifest, seal), STREAM), manifest);
    },
  }),
  "copy-list-seal": decoding({
    seeds: () => [sealManifest(MANIFEST, seal)],
    decode: (input) => openManifest(input, STREAM),
    refusals: [],
    check(manifest, input) {
      if (manifest !== undefined)
        assert.ok(equalBytes(input, sealManifest(MANIFEST, seal)), "only what is sealed is read");
    },
  }),
  "pool-news": decoding({
    seeds: () => [encodeNews(new Uint8Array(8), 3, [[Uint8Array.of(2), new Uint8Array(32)]], [new Uint8Array(32)])],
    decode: decodeNews,
    refusals: [PlainError, TypesError, RlpError],
  }),
  "pool-part": decoding({
    seeds: () => [encodePart(new Uint8Array(8), 3, [[transaction().encoded, new Uint8Array(20), Uint8Array.of(1)]])],
    decode: decodePart,
    refusals: [PlainError, TypesError, RlpError],
  }),
};

function transaction(): Transaction {
  return new Transaction({
    nonce: Uint8Array.of(1),
    gasPrice: 1n,
    gasLimit: Uint8Array.of(9),
    to: new Uint8Array(20),
    value: 0n,
    data: new Uint8Array(),
    signature: { chainId: 33, recovery: 0, r: Uint8Array.of(1), s: Uint8Array.of(1) },
    unsignedChainId: 0,
    isReward: false,
  });
}
