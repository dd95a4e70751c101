import assert from "node:assert/strict";
import { NETWORKS, type NetworkConfig } from "@cambium/config";
import { assertSameBytes, attempt, decoding, type FuzzTarget } from "@cambium/test-utils/fuzz-target";
import { BlockHeader, decodeExtension, encodeExtension, genesisBlock, TypesError } from "../../src/index.js";
import { headerBytes, headerT } from "../samples.js";

const { main, test, local } = NETWORKS;
const compressed = () => [headerT(1), headerT(2, { number: 7700000 })].map((header) => header.encode("compressed"));

/** Reads all lazily computed values. Headers without a hash for merged mining fail the proof-of-work rule. */
function readAll(header: BlockHeader): void {
  assert.equal(header.hash.length, 32);
  const mined = attempt(() => header.hashForMergedMining, [TypesError]);
  assert(mined === undefined || mined.value.length === 32);
  header.encode("compressed");
  header.fields();
  void [header.difficultyValue, header.gasLimitValue, header.minimumGasPriceValue, header.hasMiningFields];
  if (!header.hasExtension) return;
  header.encode("full");
  for (const form of ["spv", "mergedMining"] as const) attempt(() => header.encode(form), [TypesError]);
}

function headersOf(network: NetworkConfig): FuzzTarget {
  return decoding({
    seeds: () => [
      headerBytes(8000000, "80 H P C"),
      headerBytes(700000, "83aabbcc 80 80"),
      headerBytes(7200000, "80 01 8401000200 H P C"),
      headerBytes(7700000, "80 02 80 82aabb H P C"),
      headerBytes(7700000, "80 02 80"),
      genesisBlock(local, new Uint8Array(32)).header.encode("full"),
    ],
    decode: (input) => BlockHeader.decode(input, network),
    refusals: [TypesError],
    check(header) {
      readAll(header);
      // A header with a version that does not match its height loses or gains an item (`spec/01 §7`, 7).
      attempt(() => BlockHeader.decode(header.encode("full"), network), [TypesError]);
    },
  });
}

export const targets: Readonly<Record<string, FuzzTarget>> = {
  "header-main": headersOf(main),
  "header-test": headersOf(test),
  "header-local": headersOf(local),
  "header-compressed": decoding({
    seeds: compressed,
    decode: (input) => BlockHeader.decode(input, test, "compressed"),
    refusals: [TypesError],
    check: readAll,
  }),
  extension: decoding({
    seeds: () => [headerT(1), headerT(2)].map((header) => header.encodeExtension()),
    decode: decodeExtension,
    refusals: [TypesError],
    check(extension) {
      const encoded = encodeExtension(extension);
      assertSameBytes(encodeExtension(decodeExtension(encoded)), encoded);
    },
  }),
};
