import assert from "node:assert/strict";
import { type FuzzTarget, textOf, texts } from "@cambium/test-utils/fuzz-target";
import { constructorArguments, matchesCode } from "../../src/artifacts/match-code.js";
import { readArtifacts } from "../../src/artifacts/read-artifacts.js";
import { constructorOf, functionsOf, signatureOf } from "../../web/contract/functions.js";
import { emptyValue, readValue } from "../../web/contract/values.js";
import { sourceOf } from "../../web/debugger/source-lines.js";
import { namesOfSlots, partOf } from "../../web/debugger/storage-names.js";

const ABI = [
  { type: "constructor", inputs: [{ name: "limit", type: "uint256" }] },
  {
    type: "function",
    name: "order",
    inputs: [{ name: "x", type: "tuple[2]", components: [{ name: "a", type: "bool" }] }],
  },
];
const LAYOUT = {
  storage: [
    { label: "a", slot: "0", offset: 0, type: "t_a" },
    { label: "m", slot: "1", offset: 0, type: "t_m" },
    { label: "l", slot: "2", offset: 0, type: "t_l" },
  ],
  types: {
    t_a: { label: "uint8", encoding: "inplace", numberOfBytes: "1" },
    t_m: { label: "mapping", encoding: "mapping", numberOfBytes: "32", key: "t_a", value: "t_l" },
    t_l: { label: "uint8[]", encoding: "dynamic_array", numberOfBytes: "32", base: "t_a" },
  },
};
const WORD = `0x${"12".repeat(32)}`;

export const targets: Readonly<Record<string, FuzzTarget>> = {
  /** Artifacts that users give to the page. */
  artifacts: {
    seeds: () =>
      texts(
        JSON.stringify(ABI),
        JSON.stringify({ abi: ABI, bytecode: "0x6001", deployedBytecode: "0x6002fd", storageLayout: LAYOUT }),
        JSON.stringify({
          input: { sources: { "a.sol": { content: "contract A {}\n" } } },
          output: {
            contracts: {
              "a.sol": {
                A: {
                  abi: ABI,
                  evm: {
                    bytecode: { object: "6003fd", sourceMap: "1:5:0;0" },
                    deployedBytecode: { object: "6001fd", sourceMap: "0:5:0;1:2" },
                  },
                },
              },
            },
            sources: { "a.sol": { id: 0 } },
          },
        }),
      ),
    words: ["immutableReferences", "linkReferences", "components", "internalType", "__$", "metadata"],
    run(input) {
      let content: unknown;
      try {
        content = JSON.parse(textOf(input));
      } catch {
        return;
      }
      for (const artifact of readArtifacts(content)) {
        assert.deepEqual(readArtifacts(JSON.parse(JSON.stringify(artifact))), [artifact]);
        matchesCode(artifact, "0x6002fd");
        constructorArguments(artifact, "0x600100");
        sourceOf(artifact, 2);
        sourceOf(artifact, 2, true);
        for (const { inputs } of [...functionsOf(artifact.abi), constructorOf(artifact.abi) ?? { inputs: [] }]) {
          signatureOf({ name: "f", inputs });
          for (const parameter of inputs) assertRefusedOrRead(() => readValue(parameter, emptyValue(parameter), 1));
        }
        if (artifact.layout === undefined) continue;
        for (const parts of namesOfSlots(artifact.layout, [1n]).values()) for (const part of parts) partOf(WORD, part);
      }
    },
  },
};

/** Checks that a form reports a wrong value only by an `Error`. */
function assertRefusedOrRead(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    assert.equal(Object.getPrototypeOf(error), Error.prototype, String(error));
  }
}
