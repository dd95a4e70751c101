import { concatBytes, utf8 } from "@cambium/primitives";
import { attempt, decoding, type FuzzTarget } from "@cambium/test-utils/fuzz-target";
import { Crc32c } from "../../src/integrity/checksums.js";
import { logRecords } from "../../src/integrity/log-records.js";
import { readManifest } from "../../src/integrity/manifest.js";
import { decompressSnappy } from "../../src/integrity/snappy.js";
import { tableDamage } from "../../src/integrity/table-file.js";
import { packBatch, packedLength, replayBatch } from "../../src/packed-batch.js";

// Files of a damaged disk, or of a database from elsewhere.

/** Accepts every checksum, since checksums of mutated data are never right. */
const crc = { matches: () => true } as unknown as Crc32c;
const real = await Crc32c.create();
/** Errors that the readers of files throw, with the reason. */
const refusals = [RangeError];

/** A fragment of LevelDB's log format: checksum, length, type. */
function fragment(type: number, content: Uint8Array): Uint8Array {
  return concatBytes(new Uint8Array(4), Uint8Array.of(content.length & 0xff, content.length >> 8, type), content);
}

const COMPARATOR = utf8("leveldb.BytewiseComparator");
const EDITS = concatBytes(
  Uint8Array.of(1, COMPARATOR.length),
  COMPARATOR,
  Uint8Array.of(2, 5, 9, 0, 3, 6, 4, 0x80, 1),
  Uint8Array.of(7, 0, 5, 40, 1, 65, 1, 66, 6, 0, 3, 5, 0, 1, 67),
);

/** A data block, the index with its handle, an empty metaindex and the footer. */
function table(): Uint8Array {
  const restarts = Uint8Array.of(0, 0, 0, 0, 1, 0, 0, 0);
  const data = concatBytes(Uint8Array.of(0, 1, 1, 65, 66), restarts);
  const index = concatBytes(Uint8Array.of(0, 1, 2, 65, 0, data.length), restarts);
  const trailer = new Uint8Array(5);
  const metaindex = restarts;
  const at = data.length + 5;
  const handles = Uint8Array.of(at + index.length + 5, metaindex.length, at, index.length);
  const magic = Uint8Array.of(0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb);
  return concatBytes(data, trailer, index, trailer, metaindex, trailer, handles, new Uint8Array(36), magic);
}

export const targets: Readonly<Record<string, FuzzTarget>> = {
  log: decoding({
    seeds: () => [
      concatBytes(fragment(1, utf8("whole")), fragment(2, utf8("fi")), fragment(3, utf8("r")), fragment(4, utf8("st"))),
    ],
    maxLength: 100_000,
    decode: (input) => [...logRecords(input, crc, () => undefined), ...logRecords(input, real, () => undefined)],
    refusals: [],
  }),
  manifest: decoding({ seeds: () => [fragment(1, EDITS)], decode: (input) => readManifest(input, crc), refusals }),
  table: decoding({ seeds: () => [table()], decode: (input) => tableDamage(input, crc), refusals }),
  snappy: decoding({
    seeds: () => [
      concatBytes(Uint8Array.of(20, 4 << 2), utf8("hello"), Uint8Array.of(((15 - 1) << 2) | 2, 5, 0)),
      concatBytes(Uint8Array.of(9, 4 << 2), utf8("hello"), Uint8Array.of(1, 5)),
    ],
    decode: decompressSnappy,
    refusals,
  }),
  /** Batches packed by another thread. Malformed bytes are a bug of this node, but must not make it hang. */
  batch: {
    seeds: () => {
      const writes = [
        { table: 1, key: Uint8Array.of(1, 2), value: utf8("value") },
        { table: 2, key: Uint8Array.of(3), value: undefined },
      ];
      const packed = new Uint8Array(packedLength(writes));
      packBatch(writes, packed);
      return [packed];
    },
    run(input) {
      attempt(() => replayBatch(input, { put: () => undefined, del: () => undefined }), refusals);
    },
  },
};
