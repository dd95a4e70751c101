import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { constructorArguments, digitsOfCode, matchesCode } from "../src/artifacts/match-code.js";
import { readArtifacts } from "../src/artifacts/read-artifacts.js";

const BUILD = JSON.parse(
  readFileSync(new URL("../../../test/e2e/dashboard/contracts/workshop.json", import.meta.url), "utf8"),
);
const FILE = "contracts/Workshop.sol";
const SOLC = BUILD.output.contracts[FILE].Workshop;
const ABI = SOLC.abi;

function workshop() {
  return readArtifacts(BUILD).find(({ name }) => name === "Workshop")!;
}

/** The deployed code with its immutable values filled in, and other metadata. */
function deployed(): string {
  const { runtime, gaps } = workshop();
  const filled = gaps.reduce(
    (code, { start, length }) => code.slice(0, 2 * start) + "ab".repeat(length) + code.slice(2 * (start + length)),
    runtime,
  );
  return `0x${filled.replace(/(64697066735822)[0-9a-f]{68}/, `$1${"cd".repeat(34)}`)}`;
}

describe("artifacts of contracts", () => {
  it("are read from the compiler's output, with their sources and storage", () => {
    assert.deepEqual(
      readArtifacts(BUILD).map(({ name, source }) => [name, source]),
      [
        ["Ledger", FILE],
        ["Workshop", FILE],
      ],
    );
    const { abi, gaps, layout, sourceMap, creationSourceMap, sources } = workshop();
    assert.equal(abi.length, ABI.length);
    assert.equal(gaps.length, 4);
    assert.equal(layout?.storage[0]?.label, "owner");
    assert.match(sourceMap!, /^\d+:\d+:\d+:-:/);
    assert.match(creationSourceMap!, /^\d+:\d+:\d+:-:/);
    assert.notEqual(creationSourceMap, sourceMap);
    assert.match(sources![0]!.text, /contract Workshop/);
  });

  it("have the files that their source maps name, and no others", () => {
    const files = ["a.sol", "b.sol", "c.sol"];
    const evm = { bytecode: { object: "00", sourceMap: "0:1:0:-" }, deployedBytecode: { sourceMap: "0:1:-1;;:2:2" } };
    const [artifact] = readArtifacts({
      input: { sources: Object.fromEntries(files.map((path) => [path, { content: path }])) },
      output: {
        contracts: { "a.sol": { A: { abi: [], evm } } },
        sources: Object.fromEntries(files.map((path, id) => [path, { id }])),
      },
    });
    assert.deepEqual(
      Object.values(artifact!.sources!).map(({ path }) => path),
      ["a.sol", "c.sol"],
    );
  });

  it("are read in each compiler's form", () => {
    const code = { object: SOLC.evm.bytecode.object };
    const hardhat = { contractName: "W", sourceName: FILE, abi: ABI, bytecode: `0x${code.object}` };
    const foundry = { abi: ABI, bytecode: code, metadata: { settings: { compilationTarget: { [FILE]: "W" } } } };
    const combined = { contracts: { [`${FILE}:W`]: { abi: JSON.stringify(ABI), bin: code.object } } };
    const standard = { contracts: { [FILE]: { W: { abi: ABI, evm: { bytecode: code } } } } };
    for (const content of [hardhat, foundry, combined, standard]) {
      const [artifact, ...more] = readArtifacts(content);
      assert.deepEqual([artifact!.name, artifact!.source, more.length], ["W", FILE, 0]);
      assert.equal(artifact!.creation, code.object);
      assert.deepEqual(readArtifacts(JSON.parse(JSON.stringify(artifact))), [artifact]);
    }
    assert.equal(readArtifacts(ABI)[0]!.name, "");
    assert.deepEqual(readArtifacts(workshop()), [workshop()]);
  });

  it("are nothing else", () => {
    for (const content of [null, 1, "abi", {}, [1], [{ type: "thing" }], { abi: {} }, { contracts: 1 }]) {
      assert.deepEqual(readArtifacts(content), []);
    }
    const long = Array.from({ length: 5_001 }, () => ABI[0]);
    assert.deepEqual(readArtifacts(long), []);
  });

  it("match deployed code, whatever its immutable values and metadata", () => {
    const artifact = workshop();
    assert.ok(matchesCode(artifact, deployed()));
    // Some artifacts do not say where the immutable values are.
    assert.ok(matchesCode({ ...artifact, gaps: [] }, deployed()));
    assert.equal(digitsOfCode(deployed()), digitsOfCode(artifact.runtime));
    assert.ok(!matchesCode(artifact, deployed().replace("6080", "6081")));
    assert.ok(!matchesCode(artifact, `${deployed()}00`));
    assert.ok(!matchesCode(artifact, "0x"));
    assert.ok(!matchesCode({ runtime: "", gaps: [] }, "0x"));
    const library = { runtime: `73${"00".repeat(20)}30146080__$0123456789012345678901234567890123$__00`, gaps: [] };
    assert.ok(matchesCode(library, `0x73${"aa".repeat(20)}30146080${"bb".repeat(20)}00`));
    assert.ok(!matchesCode(library, `0x73${"aa".repeat(20)}30156080${"bb".repeat(20)}00`));
  });

  it("tell the arguments of a constructor", () => {
    const artifact = workshop();
    assert.equal(constructorArguments(artifact, `0x${artifact.creation}00ff`), "00ff");
    assert.equal(constructorArguments(artifact, `0x${artifact.creation.slice(2)}00ff`), undefined);
    assert.equal(constructorArguments({ creation: "" }, "0x00ff"), undefined);
  });
});
