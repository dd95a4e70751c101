import assert from "node:assert/strict";
import { NETWORKS, type NetworkName } from "@cambium/config";
import { concatBytes, fromHex, keccak256, toHex } from "@cambium/primitives";
import { Block } from "@cambium/types";
import { buildGenesis } from "../src/index.js";

// spec/01 §6.4, spec/02 §1.4 and §11.6
const expected: Record<NetworkName, { hash: string; headerRoot: string; stateRoot: string; size: number }> = {
  main: {
    hash: "f88529d4ab262c0f4d042e9d8d3f2472848eaafe1a9b7213f57617eb40a9f9e0",
    headerRoot: "9fa70f12726ac738640a86754741bb3f5680520ccc7e6ae9d95ace566a67fe01",
    stateRoot: "21de9a922f22eb925cefc6d4c994cb28e9ec36e7a45862105f79e4d97c0babfc",
    size: 555,
  },
  test: {
    hash: "cabb7fbe88cd6d922042a32ffc08ce8b1fbb37d650b9d4e7dbfe2a7469adfa42",
    headerRoot: "45bce5168430c42b3d568331753f900a32457b4f3748697cbd8375ff4da72641",
    stateRoot: "45bce5168430c42b3d568331753f900a32457b4f3748697cbd8375ff4da72641",
    size: 478,
  },
  local: {
    hash: "8ea789fabef0dd4946ed53f001e7b6f8a8d0c22a612a6099fc7f93c990af68fe",
    headerRoot: "9c13f6bf26a9d1b13b708b5da083cb8f4e948bb7f903174081ad95810d52723f",
    stateRoot: "9c13f6bf26a9d1b13b708b5da083cb8f4e948bb7f903174081ad95810d52723f",
    size: 478,
  },
  dev: {
    hash: "0e34a837e54432dac7a969304932164e820269c89f3ac0a202afbd5c1b70b7b6",
    headerRoot: "8300a21314eb0fb01e69be5ad90f1ef519c8982cfc08db3ed9b717f05572fda3",
    stateRoot: "8300a21314eb0fb01e69be5ad90f1ef519c8982cfc08db3ed9b717f05572fda3",
    size: 478,
  },
};

const zeros = (count: number) => "00".repeat(count);
const EMPTY_ROOT = "56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421";
const START = `a0${zeros(32)}a01dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d4934794${"33".repeat(20)}a0`;
const MIDDLE = `a0${EMPTY_ROOT}a0${EMPTY_ROOT}b90100${zeros(256)}`;

const hashed: Partial<Record<NetworkName, string>> = {
  main: `f90223${START}${expected.main.headerRoot}${MIDDLE}850000100000808367c28080845a4af5b0b849486170707920426974636f696e20446179212030332f4a616e2f32303138202d2052534b20746563686e6f6c6f6779206174207468652073657276696365206f6620736f636965747980840ae85bc080000000`,
  test: `f901d4${START}${expected.test.headerRoot}${MIDDLE}85000010000080834c4b40808085434d27284180008000`,
  local: `f901d4${START}${expected.local.headerRoot}${MIDDLE}8500000000018083989680808085686f72736580008000`,
};

describe("genesis", () => {
  for (const name of Object.keys(NETWORKS) as NetworkName[]) {
    const network = NETWORKS[name];
    const nodes = new Map<string, Uint8Array>();
    const { block, stateRoot } = buildGenesis(network, { put: (hash, bytes) => nodes.set(toHex(hash), bytes) });

    it(`of ${name} has its hash and roots`, () => {
      assert.equal(toHex(block.hash), expected[name].hash);
      assert.equal(toHex(block.header.stateRoot), expected[name].headerRoot);
      assert.equal(toHex(stateRoot), expected[name].stateRoot);
      assert.equal(block.size, expected[name].size);
    });

    it(`of ${name} encodes as given, and decodes again`, () => {
      if (hashed[name] !== undefined) assert.equal(toHex(block.header.encode("hash")), hashed[name]);
      assert.equal(toHex(Block.decode(block.encode(), network).hash), expected[name].hash);
    });

    it(`of ${name} comes with the nodes of its state`, () => {
      assert.ok(nodes.has(toHex(stateRoot)));
      for (const [hash, bytes] of nodes) assert.equal(toHex(keccak256(bytes)), hash);
    });
  }

  it("of the test network is the reference's raw block", () => {
    const { block } = buildGenesis(NETWORKS.test, { put: () => undefined });
    const header = `f901d6${hashed.test!.slice(6)}0000`;
    assert.equal(toHex(block.encode()), toHex(concatBytes(fromHex(`f901db${header}`), fromHex("c0c0"))));
  });
});
