import assert from "node:assert/strict";
import { NETWORKS } from "@cambium/config";
import { fromHex, toHex } from "@cambium/primitives";
import { BlockHeader, decodeExtension, genesisBlock, type HeaderFields, TypesError } from "../src/index.js";
import { emptyT, headerBytes, headerT, itemsOf, listOf, pattern } from "./samples.js";

const { main, test, local } = NETWORKS;

// All values: spec/01 §2.8, §6.4.

const HASHED_START =
  "f90153a001080f161d242b323940474e555c636a71787f868d949ba2a9b0b7bec5ccd3daa0020910171e252c333a41484f565d646b727980878e959ca3aab1b8bfc6cdd4db940910171e252c333a41484f565d646b727980878ea0040b121920272e353c434a51585f666d747b828990979ea5acb3bac1c8cfd6dda0050c131a21282f363d444b525960676e757c838a91989fa6adb4bbc2c9d0d7dea0060d141b222930373e454c535a61686f767d848b9299a0a7aeb5bcc3cad1d8df";
const HASHED_END =
  "8400ff00ff836ddd008367c280825208846553f10083c0ffee84499602d28200ff0280b850070e151c232a31383f464d545b626970777e858c939aa1a8afb6bdc4cbd2d9e0e7eef5fc030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dce3eaf1f8ff060d141b222930";
const FULL_V2 = `f902e5${HASHED_START.slice(6)}b9010001020304${"00".repeat(252)}8400ff00ff836ddd008367c280825208846553f10083c0ffee84499602d28200ff02800286010002002c0182aabb${HASHED_END.slice(HASHED_END.indexOf("b850"))}b840080f161d242b323940474e555c636a71787f868d949ba2a9b0b7bec5ccd3dae1e8eff6fd040b121920272e353c434a51585f666d747b828990979ea5acb3bac1b8640b121920272e353c434a51585f666d747b828990979ea5acb3bac1c8cfd6dde4ebf2f900070e151c232a31383f464d545b626970777e858c939aa1a8afb6bdc4cbd2d9e0e7eef5fc030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0`;
const BLOOM = `b9010001020304${"00".repeat(252)}`;

describe("header hashes and encodings", () => {
  const versions = [
    {
      version: 0,
      hash: "668097a2adbf35f85bf74b145fe504a720f50759b566cdc0b2027b062b00e211",
      merged: "b43a7bce31fa66b9a2fbb45c5e9a0284fd597d9fbe9d7dc0b0e89899c12908ef",
    },
    {
      version: 1,
      hash: "772df3e610547fadc9660e83026407987b9d25e0021691dafdc36213e6512a18",
      merged: "d409258884e9fd088bdb3fd0e5950c40a2edb9a01a253168bee5edcc9ae3a0ca",
      extensionHash: "91bdba759d631a5bd9dee8534a4b5923660cf333d41eb4d4ef11ad5ce8b4a4de",
      wire: `f9011101b9010df9010a${BLOOM}86010002002c01`,
    },
    {
      version: 2,
      hash: "6f2522d997feb9ea9ddfacd805eccb2eb8567161f7075694a302c1b14c80c4d7",
      merged: "f01fce51efee107566ef3459d83da179ab74267dac9af0db9539a3a5aca560f3",
      extensionHash: "bafed473a344f6cd0d54e58b75bbf8ae6d92695522c8fcead0cb452caa7561d6",
      wire: `f9011402b90110f9010d${BLOOM}82aabb86010002002c01`,
    },
  ] as const;
  for (const { version, hash, merged, ...extension } of versions) {
    it(`hashes and encodes version ${version}`, () => {
      const header = headerT(version);
      assert.equal(toHex(header.hash), hash);
      assert.equal(toHex(header.hashForMergedMining), merged);
      if (!("wire" in extension)) return;
      assert.equal(toHex(header.extensionHash), extension.extensionHash);
      assert.equal(toHex(header.encodeExtension()), extension.wire);
      assert.equal(
        toHex(header.encode("hash")),
        `${HASHED_START}a3e20${version}a0${extension.extensionHash}${HASHED_END}`,
      );
    });
  }

  it("encodes version 2 in full form", () => assert.equal(toHex(headerT(2).encode("full")), FULL_V2));

  it("hashes version 2 with all optional fields empty", () => {
    const header = emptyT(2);
    assert.equal(toHex(header.hash), "b763ef6577e1690cccd1e09c14f172729fcb19d554bfafc380b18831e97d127c");
    assert.equal(toHex(header.extensionHash), "9aca8469839f117b1a26abbdea244a32cb0833e387cf6af9dc13eb336094d3c2");
  });

  it("includes ummRoot and preset fork-detection data", () => {
    const unmined = { parentChainHeader: null, merkleProof: null, parentChainCoinbase: null };
    const fields = emptyT(0, { ...unmined, ummRoot: pattern(77, 20) }).fields();
    const forkDetectionData = fromHex("030a11181f262d343b424950");
    const header = new BlockHeader(fields, { shortHash: true, forkDetection: true, forkDetectionData });
    assert.equal(toHex(header.hash), "085571b74da90991e3a3be26cf2cbacf99d9fe4782e24c1216a52de800a7590f");
    assert.equal(toHex(header.hashForMergedMining), "173aeb9a331d13fb4cb46f42167d139ad6e8e7d0030a11181f262d343b424950");
  });

  it("rejects an ummRoot of another length when computing the merged-mining hash", () => {
    const header = headerT(0, { ummRoot: fromHex("aabbcc") });
    assert.equal(header.hash.length, 32);
    assert.throws(() => header.hashForMergedMining, { code: "HEADER_FIELD" });
  });

  it("requires fork-detection data if it is enabled", () => {
    const unmined = { parentChainHeader: null, merkleProof: null, parentChainCoinbase: null };
    const options = { shortHash: true, forkDetection: true };
    const codes = [headerT(0, unmined), headerT(0)].map((header) => new BlockHeader(header.fields(), options));
    for (const header of codes) assert.throws(() => header.hashForMergedMining, { code: "FORK_DETECTION_DATA" });
  });

  it("uses the last tag and requires 12 bytes after it", () => {
    const options = { shortHash: true, forkDetection: true };
    const base = headerT(0);
    const prefix = toHex(base.hashForMergedMining).slice(0, 40);
    const tag = `52534b424c4f434b3a${prefix}`;
    const withCoinbase = (hex: string) =>
      new BlockHeader(base.with({ parentChainCoinbase: fromHex(hex) }).fields(), options);
    assert.equal(
      toHex(withCoinbase(`${tag}${"11".repeat(12)}${tag}${"22".repeat(12)}`).forkDetectionData),
      "22".repeat(12),
    );
    assert.throws(() => withCoinbase(`${tag}${"11".repeat(11)}`).forkDetectionData, { code: "FORK_DETECTION_DATA" });
  });
});

describe("genesis headers", () => {
  const cases = [
    [main, "00", "f88529d4ab262c0f4d042e9d8d3f2472848eaafe1a9b7213f57617eb40a9f9e0", 555],
    [test, "00", "cabb7fbe88cd6d922042a32ffc08ce8b1fbb37d650b9d4e7dbfe2a7469adfa42", 478],
    [
      local,
      "9c13f6bf26a9d1b13b708b5da083cb8f4e948bb7f903174081ad95810d52723f",
      "8ea789fabef0dd4946ed53f001e7b6f8a8d0c22a612a6099fc7f93c990af68fe",
      478,
    ],
  ] as const;
  for (const [network, stateRoot, hash, size] of cases) {
    it(network.name, () => {
      const block = genesisBlock(network, fromHex(stateRoot));
      assert.equal(toHex(block.hash), hash);
      assert.equal(block.size, size);
      const again = BlockHeader.decode(block.header.encode("full"), network);
      assert.equal(toHex(again.hash), hash);
      assert.equal(toHex(again.encode("full")), toHex(block.header.encode("full")));
    });
  }
});

describe("header decoding", () => {
  const networks = { main, test, local };
  // Network, number, extra items, and the expected hash or undefined for an error.
  const cases: readonly (readonly ["main" | "test", number, string, string | undefined])[] = [
    ["test", 7200000, "80 01 8401000200", "c15c4546e550f16872c63edcb37ef0eb6cddc76355f22e361a195bc4b2cce34e"],
    ["test", 7200000, "80 01 80 H P C", "2ac1dffea3422a809651d44fc40e9ddaf7cd33938cf4080556bffa1b49900b97"],
    ["test", 7200000, "80 00 80 H P C", "aa31ce2dbd99897ccd9f07e5b45b71d02900bdc3902970bc07dd847da23ba21a"],
    ["test", 7200000, "80 03 80 H P C", "aa31ce2dbd99897ccd9f07e5b45b71d02900bdc3902970bc07dd847da23ba21a"],
    ["test", 7200000, "80 02 80 H P C", "35b806d4a3c287f6c09689458d8ebc4f69bef245f0b619e9f0c033dc2bd57b1e"],
    ["test", 7200000, "80 80 80 H P C", undefined],
    ["test", 7200000, "80 01 83010002 H P C", "e6352a29646ef04ae1de0abf73b9e9cfdaf1efba25cd0b06cb03cfa0b958628a"],
    ["test", 7700000, "80 02 80 82aabb H P C", "7bbf9f9f8520b8135b238e0c3458579fd00945048c67b9604a2bca3320190a01"],
    ["test", 7700000, "80 02 80 H P C", "54a5b9f1c06860b2a9eb1c5188ada37b0ed8470d0c82300e6393260c446d3d04"],
    ["test", 7700000, "80 02 80", "cf15ee361f109908dd04e74870c616355e91d809c2249205c71890676ed22591"],
    ["main", 7700000, "80 02 80 H P C", undefined],
    ["test", 7800000, "80 02 80 H P C", undefined],
    ["test", 7700000, "80 01 80 82aabb H P C", "ffe3914b9f622b02f752beb14fc71dd656131c3c60360d5a3c83591fd2fd5e7d"],
    ["test", 7700000, "80 00 80 82aabb H P C", "41f4642a57be011c828142ed5bea7794c9c2dc3c0de5ad13bfccd3d69aa5256e"],
    ["main", 8000000, "80 H P C", "9f9cf316822075148ba759921a680542f6fdf1da3b40a41b31e1fbd37640a341"],
    ["main", 8000000, "80", "226f95429c3f98dd6bc705ea6d8430ed4dc1f253d9db05c1632d8156c5bfff26"],
    ["main", 8000000, "80 H", undefined],
    ["main", 8000000, `80 b84f${"07".repeat(79)} P C`, undefined],
    ["main", 8000000, "80 80 P C", undefined],
    ["main", 700000, "80 80 80", "7e3edc7b8f04ab24d12fd82786fafd8d8491e827d02ded6afd7605f565bf7e89"],
    ["main", 700000, "", "7e3edc7b8f04ab24d12fd82786fafd8d8491e827d02ded6afd7605f565bf7e89"],
    ["main", 700000, "83aabbcc 80 80", "73d31ad2bfa0a8a9a960eb74d5e2b8b991d8d32fb85771885e29e78e09026f13"],
  ];
  for (const [name, number, extra, hash] of cases) {
    const label = extra.length > 30 ? `${extra.slice(0, 30)}…` : extra;
    it(`${name} ${number} [${label}] -> ${hash?.slice(0, 8) ?? "error"}`, () => {
      const decode = () => BlockHeader.decode(headerBytes(number, extra), networks[name]);
      if (hash === undefined) assert.throws(decode, TypesError);
      else assert.equal(toHex(decode().hash), hash);
    });
  }

  it("drops the version byte of an unknown version", () => {
    const header = BlockHeader.decode(headerBytes(7200000, "80 00 80 H P C"), test);
    assert.equal(header.version, 0);
    assert.equal(itemsOf(header.encode("full")).length, 21);
  });

  it("decodes edges as little-endian pairs and drops an odd byte", () => {
    const edges = (item: string) =>
      BlockHeader.decode(headerBytes(7200000, `80 01 ${item} H P C`), test).executionEdges;
    assert.deepEqual(edges("8401000200"), [1, 2]);
    assert.deepEqual(edges("83010002"), [1]);
    assert.deepEqual(edges("82ffff"), [-1]);
    assert.deepEqual(edges("80"), []);
  });

  // Main 8000000 with `80 H P C` and one base field replaced.
  const replaced: readonly (readonly [keyof HeaderFields, number, string, string | undefined])[] = [
    ["difficulty", 7, "81ff", undefined],
    ["difficulty", 7, "00", "3fc7f73095ae03142ea35c420a6742ecd03d7568f49da7fd786730cc9b4c5be1"],
    ["difficulty", 7, "80", "9cab65ecc975d85f4f96fdc9e8e64e5a38f05efff444c1fe19ea52e9d2e201f2"],
    ["difficulty", 7, "8200ff", "e0186a268a583334bbd0cc03b67c01244cba09b653cb7e9313670bef849499bf"],
    ["difficulty", 7, "83000001", "e48c4c4c7de916cb602e12f35252a1174833d421b18fa16c55476fcb300f0613"],
    ["minimumGasPrice", 14, "81ff", "bb0abede8d09f37b8c8aa70d1e544fd6bc0b0c4c0d963c782363c39184e69c73"],
    ["minimumGasPrice", 14, "82ffff", "bb0abede8d09f37b8c8aa70d1e544fd6bc0b0c4c0d963c782363c39184e69c73"],
    ["minimumGasPrice", 14, "80", "49ebc785f297d12947cedebf700251d2d06909ea9f0c43dfa09f90dcb7052021"],
    ["paidFees", 13, "00", "9f9cf316822075148ba759921a680542f6fdf1da3b40a41b31e1fbd37640a341"],
    ["number", 8, "84007a1200", "9f9cf316822075148ba759921a680542f6fdf1da3b40a41b31e1fbd37640a341"],
    ["stateRoot", 3, "80", "962b24bd1c4aaa0e080e74930360d0c88d66eed1be438dd839c134f69423c17b"],
    ["coinbase", 2, "80", "acf7993854a4cdf1dbfa5c203c0a524fe6ccb0b2ad752b2d0495ae8c7c4922e3"],
    ["coinbase", 2, `93${"09".repeat(19)}`, undefined],
    ["extraData", 12, "c20102", "1c9241bb083298c350e8b879a512d9c541cb7323ad491b9b2db5adba2a0de019"],
    ["logsBloom", 6, "820102", "f99566b11f0ccbb36b9de4d389a63e479fafa4339de33f6885ffd69e6b2ed566"],
    ["gasLimit", 9, "00", "82d267c23dce1e254d38290b008e056896443d2581bc283e0f86f005ec20fa64"],
    ["gasUsed", 10, "89010000000000000000", undefined],
    ["uncleCount", 15, "850100000000", undefined],
  ];
  for (const [field, index, item, hash] of replaced) {
    it(`${field} ${item} -> ${hash?.slice(0, 8) ?? "error"}`, () => {
      const decode = () => BlockHeader.decode(headerBytes(8000000, "80 H P C", { [index]: item }), main);
      if (hash === undefined)
        assert.throws(decode, (error: TypesError) => (error.details as { field?: string }).field === field);
      else assert.equal(toHex(decode().hash), hash);
    });
  }

  it("decodes an ummRoot of three bytes", () => {
    const header = BlockHeader.decode(headerBytes(8000000, "83aabbcc H P C"), main);
    assert.equal(toHex(header.hash), "4e29d3bafcfe1de15cb000fb387edd79e78eba9bf59cb2ec54b75345fa007625");
  });

  it("reports the position of malformed bytes", () => {
    const bytes = headerBytes(8000000, "80 H P C");
    assert.throws(() => BlockHeader.decode(bytes.subarray(0, -1), main), { code: "HEADER_MALFORMED" });
    assert.throws(() => BlockHeader.decode(new Uint8Array(0), main), { code: "HEADER_MALFORMED" });
    assert.throws(() => BlockHeader.decode(listOf([]), main), { code: "HEADER_SIZE" });
  });
});

describe("compressed headers", () => {
  const number = { 1: 7200000, 2: 7700000 } as const;
  for (const version of [1, 2] as const) {
    it(`version ${version}: hash immediately, the rest with the extension`, () => {
      const full = headerT(version, { number: number[version] });
      const compressed = BlockHeader.decode(full.encode("compressed"), test, "compressed");
      const hash = (header: BlockHeader) => toHex(header.hash);
      assert.equal(compressed.hasExtension, false);
      assert.equal(hash(compressed), hash(full));
      assert.throws(() => compressed.encode("full"), { code: "EXTENSION_UNKNOWN" });
      const complete = compressed.withExtension(decodeExtension(full.encodeExtension()));
      assert.equal(toHex(complete.encode("full")), toHex(full.encode("full")));
      assert.equal(hash(complete), hash(full));
      const other = full.with({ logsBloom: new Uint8Array(256) });
      assert.throws(() => compressed.withExtension(other.extension), { code: "EXTENSION_MISMATCH" });
    });
  }

  it("rejects malformed extensions", () => {
    for (const hex of ["c0", "c101", "c2808101", "c201c0", "c202c180", "c203c0", "80"]) {
      assert.throws(() => decodeExtension(fromHex(hex)), { code: "EXTENSION_MALFORMED" });
    }
  });
});
