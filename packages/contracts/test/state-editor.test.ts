import assert from "node:assert/strict";
import { NETWORKS, STATE_EDITOR_ACCOUNT } from "@cambium/config";
import { encodeRlp, keccak256, publicKeyToAddress, secp256k1, utf8 } from "@cambium/primitives";
import { emptyState, recordCall } from "@cambium/test-utils/native-call";
import { NativeContractError } from "../src/errors.js";
import { encodeStateEdits, type StateEdit, stateEditor } from "../src/index.js";
import { decodeStateEdits } from "../src/state-editor/state-edit.js";

const { local } = NETWORKS;
const ADDRESS = new Uint8Array(20).fill(7);
const KEY = new Uint8Array(32).fill(1);
const EVERY_KIND: StateEdit[] = [
  { address: ADDRESS, kind: "balance", balance: 2n ** 200n },
  { address: ADDRESS, kind: "nonce", nonce: 9n },
  { address: ADDRESS, kind: "code", code: Uint8Array.of(0x60, 1) },
  { address: ADDRESS, kind: "cell", key: KEY, value: Uint8Array.of(5) },
];

function edited(edits: readonly StateEdit[], state = emptyState()) {
  const call = { caller: STATE_EDITOR_ACCOUNT };
  const { context } = recordCall({ network: local, state, call });
  const data = encodeStateEdits(edits);
  assert.equal(stateEditor.gas(data, context), 0);
  assert.equal(stateEditor.execute(data, context)?.length, 0);
  return state;
}

describe("state editor", () => {
  it("sets balance, nonce, code and cells, and removes them", () => {
    const state = edited(EVERY_KIND);
    assert.equal(state.getBalance(ADDRESS), 2n ** 200n);
    assert.equal(state.getNonce(ADDRESS), 9n);
    assert.deepEqual(state.getCode(ADDRESS), Uint8Array.of(0x60, 1));
    assert.deepEqual(state.getStorageBytes(ADDRESS, KEY), Uint8Array.of(5));
    assert(state.isContract(ADDRESS));

    edited(
      [
        { address: ADDRESS, kind: "balance", balance: 0n },
        { address: ADDRESS, kind: "nonce", nonce: 3n },
        { address: ADDRESS, kind: "code", code: new Uint8Array(0) },
        { address: ADDRESS, kind: "cell", key: KEY, value: new Uint8Array(0) },
      ],
      state,
    );
    assert.equal(state.getBalance(ADDRESS), 0n);
    assert.equal(state.getNonce(ADDRESS), 3n);
    assert.equal(state.getCodeSize(ADDRESS), 0);
    assert.equal(state.getStorageBytes(ADDRESS, KEY), undefined);
    assert(state.exists(ADDRESS));
    edited([{ address: ADDRESS, kind: "removal" }], state);
    assert(!state.exists(ADDRESS));
  });

  it("creates accounts, also of a cell or of no balance only", () => {
    const [other, third] = [new Uint8Array(20).fill(8), new Uint8Array(20).fill(9)];
    const state = edited([
      { address: ADDRESS, kind: "cell", key: KEY, value: Uint8Array.of(1) },
      { address: other, kind: "balance", balance: 0n },
      { address: third, kind: "nonce", nonce: 1n },
      { address: third, kind: "cell", key: KEY, value: Uint8Array.of(1) },
    ]);
    assert(state.exists(ADDRESS) && state.isContract(ADDRESS));
    assert(state.exists(other) && !state.isContract(other));
    assert(state.isContract(third), "an account with a cell has the marker");
  });

  it("obeys direct transactions of one account only, whose key is public", () => {
    const key = keccak256(utf8("cambium state editor account"));
    assert.deepEqual(publicKeyToAddress(secp256k1.publicKey(key)), STATE_EDITOR_ACCOUNT);
    const state = emptyState();
    const data = encodeStateEdits(EVERY_KIND);
    for (const call of [
      { caller: ADDRESS },
      { caller: STATE_EDITOR_ACCOUNT, kind: "call" as const },
      { caller: STATE_EDITOR_ACCOUNT, kind: "delegatecall" as const },
    ]) {
      const { context } = recordCall({ network: local, state, call });
      assert.throws(() => stateEditor.execute(data, context), new NativeContractError({ code: "NOT_STATE_EDITOR" }));
    }
    assert(!state.exists(ADDRESS));
  });

  it("decodes what it encodes, and refuses anything else", () => {
    const all: StateEdit[] = [...EVERY_KIND, { address: ADDRESS, kind: "removal" }];
    assert.deepEqual(decodeStateEdits(encodeStateEdits(all)), all);
    const one = Uint8Array.of(1);
    const wrong = [
      [ADDRESS.slice(1), one, one],
      [ADDRESS, Uint8Array.of(6), one],
      [ADDRESS, new Uint8Array(0), one],
      [ADDRESS, one],
      [ADDRESS, one, one, one],
      [ADDRESS, one, new Uint8Array(33).fill(1)],
      [ADDRESS, Uint8Array.of(2), new Uint8Array(9).fill(1)],
      [ADDRESS, Uint8Array.of(4), one, one],
      [ADDRESS, Uint8Array.of(4), KEY],
      [ADDRESS, Uint8Array.of(4), KEY, one, one],
      [ADDRESS, Uint8Array.of(5), one],
    ];
    for (const edit of wrong) assert.throws(() => decodeStateEdits(encodeRlp([edit])), { code: "INVALID_EDIT" });
    assert.throws(() => decodeStateEdits(encodeRlp([one])), { code: "INVALID_EDIT" });
  });
});
