import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fromHex } from "@cambium/primitives";
import { withFolder } from "@cambium/test-utils/node-cli";
import { Interface } from "ethers";
import { ArtifactStore } from "../src/artifacts/artifact-store.js";
import { KnownSignatures } from "../src/console/known-signatures.js";

const BUILD = JSON.parse(
  readFileSync(new URL("../../../test/e2e/dashboard/contracts/workshop.json", import.meta.url), "utf8"),
);
const { Ledger, Workshop } = BUILD.output.contracts["contracts/Workshop.sol"];
const CODE = fromHex(Ledger.evm.deployedBytecode.object);
const OTHER = new Uint8Array(CODE.length);
const LEDGER = {
  contractName: "Ledger",
  sourceName: "contracts/Workshop.sol",
  abi: Ledger.abi,
  bytecode: `0x${Ledger.evm.bytecode.object}`,
  deployedBytecode: `0x${Ledger.evm.deployedBytecode.object}`,
};

describe("artifacts of a development chain", () => {
  it("are those of --abi, also such that are written later", () =>
    withFolder(async (folder) => {
      const artifacts = join(folder, "artifacts", "contracts");
      mkdirSync(artifacts, { recursive: true });
      let now = 0;
      const store = new ArtifactStore([folder], () => now);
      assert.equal(store.find(CODE), undefined);
      writeFileSync(join(artifacts, "Ledger.json"), JSON.stringify(LEDGER));
      assert.equal(store.find(CODE), undefined);
      now += 2_000;
      const found = store.find(CODE)!;
      assert.deepEqual([found.name, found.source], ["Ledger", "contracts/Workshop.sol"]);
      assert.deepEqual((store.read(found.id) as typeof LEDGER).abi, Ledger.abi);
      assert.deepEqual(store.find(CODE), found);
      assert.equal(store.find(OTHER), undefined);
      assert.equal(store.read("other"), undefined);
    }));

  it("have their sources: from Hardhat's build information, or the file that Foundry compiled", () =>
    withFolder(async (folder) => {
      const text = BUILD.input.sources["contracts/Workshop.sol"].content;
      const sourcesOf = (root: string) => {
        const store = new ArtifactStore([root]);
        return (store.read(store.find(CODE)!.id) as { sources?: Record<string, { text: string }> }).sources;
      };
      const hardhat = join(folder, "hardhat", "artifacts");
      mkdirSync(join(hardhat, "contracts", "Workshop.sol"), { recursive: true });
      mkdirSync(join(hardhat, "build-info"));
      writeFileSync(join(hardhat, "build-info", "1.json"), JSON.stringify(BUILD));
      writeFileSync(join(hardhat, "contracts", "Workshop.sol", "Ledger.json"), JSON.stringify(LEDGER));
      assert.equal(sourcesOf(hardhat), undefined);
      const link = { buildInfo: "../../build-info/1.json" };
      writeFileSync(join(hardhat, "contracts", "Workshop.sol", "Ledger.dbg.json"), JSON.stringify(link));
      assert.equal(sourcesOf(hardhat)?.[0]?.text, text);

      // Hardhat 3 has two files, and another name of the source in them.
      const third = join(folder, "hardhat-3", "artifacts");
      mkdirSync(join(third, "contracts", "Workshop.sol"), { recursive: true });
      mkdirSync(join(third, "build-info"));
      const input = JSON.stringify(BUILD.input).replaceAll("contracts/Workshop.sol", "project/contracts/Workshop.sol");
      const output = JSON.stringify(BUILD.output).replaceAll(
        "contracts/Workshop.sol",
        "project/contracts/Workshop.sol",
      );
      writeFileSync(join(third, "build-info", "solc-0_8_30-ab.json"), `{"input":${input}}`);
      writeFileSync(join(third, "build-info", "solc-0_8_30-ab.output.json"), `{"output":${output}}`);
      const named = (buildInfoId: string) => ({
        ...LEDGER,
        inputSourceName: "project/contracts/Workshop.sol",
        buildInfoId,
      });
      const file = join(third, "contracts", "Workshop.sol", "Ledger.json");
      writeFileSync(file, JSON.stringify(named("solc-0_8_30-ab")));
      assert.equal(sourcesOf(third)?.[0]?.text, text);
      writeFileSync(file, JSON.stringify(named("../build-info/solc-0_8_30-ab")));
      assert.equal(sourcesOf(third), undefined);

      const foundry = join(folder, "foundry");
      mkdirSync(join(foundry, "out", "Workshop.sol"), { recursive: true });
      mkdirSync(join(foundry, "contracts"));
      const metadata = { settings: { compilationTarget: { "contracts/Workshop.sol": "Ledger" } } };
      const content = { abi: Ledger.abi, deployedBytecode: Ledger.evm.deployedBytecode, metadata, id: 3 };
      writeFileSync(join(foundry, "out", "Workshop.sol", "Ledger.json"), JSON.stringify(content));
      assert.equal(sourcesOf(join(foundry, "out")), undefined);
      writeFileSync(join(foundry, "contracts", "Workshop.sol"), text);
      assert.equal(sourcesOf(join(foundry, "out"))?.[3]?.text, text);
    }));

  it("are those that were added, for the code they were given for, and for code that matches", () => {
    const store = new ArtifactStore(undefined);
    const named = store.add(LEDGER, CODE)!;
    assert.equal(named.name, "Ledger");
    assert.deepEqual(store.find(CODE), named);
    // The console and errors have its names too.
    assert.equal(store.abis.contractName(CODE, false), "Ledger");
    const failure = fromHex(new Interface(Ledger.abi).encodeErrorResult("TooMuch", [420, 100]).slice(2));
    assert.match(new KnownSignatures(store.abis).revertText(failure, "whole", "short")!, /TooMuch\(420, 100\)/);
    // An ABI without code describes the contract that the user names.
    const bare = store.add(Workshop.abi, OTHER)!;
    assert.equal(bare.name, "");
    assert.deepEqual(store.find(OTHER), bare);
    assert.deepEqual(store.find(CODE), named);
    // The latest one counts.
    store.add(LEDGER, OTHER);
    assert.deepEqual(store.find(OTHER), named);
    // Artifacts of a file with several contracts are for no contract in particular.
    const alone = new ArtifactStore(undefined);
    assert.equal(alone.add(LEDGER)!.id, named.id);
    assert.equal(alone.find(CODE)!.id, named.id);
    for (const content of [{}, [1], BUILD, { abi: 1 }]) assert.equal(store.add(content, CODE), undefined);
  });

  it("are found by the code that creates the contract, with arguments", () =>
    withFolder(async (folder) => {
      const creation = fromHex(`${Workshop.evm.bytecode.object}${"00".repeat(64)}`);
      const added = new ArtifactStore(undefined);
      assert.equal(added.find(creation, true), undefined);
      const whole = { contractName: "Workshop", abi: Workshop.abi, evm: Workshop.evm };
      assert.deepEqual(added.add(whole), added.find(creation, true));
      assert.equal(added.find(creation), undefined);
      assert.equal(added.find(creation.subarray(0, -65), true), undefined);
      writeFileSync(join(folder, "Workshop.json"), JSON.stringify(whole));
      const store = new ArtifactStore([folder]);
      assert.equal(store.find(creation, true)!.name, "Workshop");
      assert.equal(store.find(CODE, true), undefined);
    }));

  it("are bounded: the oldest ones make room", () => {
    const store = new ArtifactStore(undefined);
    const ids = Array.from({ length: 501 }, (_, i) => store.add({ ...LEDGER, contractName: `Ledger${i}` }, OTHER)!.id);
    assert.equal(store.read(ids[0]!), undefined);
    assert.notEqual(store.read(ids[1]!), undefined);
    const large = [{ type: "function", name: "x".repeat(20 * 2 ** 20) }];
    assert.notEqual(store.add(large, OTHER), undefined);
    assert.notEqual(store.add([...large, { type: "receive" }], CODE), undefined);
    assert.equal(store.read(ids.at(-1)!), undefined);
    assert.equal(store.find(OTHER), undefined);
    assert.equal(store.add([...large, ...large], CODE), undefined);
  });
});
