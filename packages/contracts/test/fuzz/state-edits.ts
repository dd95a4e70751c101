import { RlpError } from "@cambium/primitives";
import { assertSameBytes, decoding, type FuzzTarget } from "@cambium/test-utils/fuzz-target";
import { NativeContractError } from "../../src/errors.js";
import { encodeStateEdits, type StateEdit } from "../../src/index.js";
import { decodeStateEdits } from "../../src/state-editor/state-edit.js";

const ADDRESS = new Uint8Array(20).fill(7);
const EDITS: StateEdit[] = [
  { address: ADDRESS, kind: "balance", balance: 2n ** 200n },
  { address: ADDRESS, kind: "nonce", nonce: 9n },
  { address: ADDRESS, kind: "code", code: Uint8Array.of(0x60, 1) },
  { address: ADDRESS, kind: "cell", key: new Uint8Array(32), value: Uint8Array.of(5) },
  { address: ADDRESS, kind: "removal" },
];

export const targets: Readonly<Record<string, FuzzTarget>> = {
  "state-edits": decoding({
    seeds: () => [encodeStateEdits(EDITS), ...EDITS.map((edit) => encodeStateEdits([edit]))],
    decode: decodeStateEdits,
    refusals: [NativeContractError, RlpError],
    check(edits) {
      const encoded = encodeStateEdits(edits);
      assertSameBytes(encodeStateEdits(decodeStateEdits(encoded)), encoded);
    },
  }),
};
