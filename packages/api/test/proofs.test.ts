import assert from "node:assert/strict";
import { bytesToBigint, concatBytes, decodeRlpList, fromHex, keccak256, toData, toHex } from "@cambium/primitives";
import { JournaledState, openState } from "@cambium/state";
import { COUNTER, RealChain, SENDER, SETTER } from "@cambium/test-utils/api/real-chain";
import { type Shown, verify } from "@cambium/test-utils/chains/proof-verifier";
import { fc, runs } from "@cambium/test-utils/properties";
import { apiOver, ask, type Json, type Service } from "./support/service.js";

const EMPTY_TRIE = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421";
const NO_CODE = "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470";
const ABSENT = new Uint8Array(20).fill(0x99);

const word = (value: bigint | number) => value.toString(16).padStart(64, "0");

/** Trie key of an account (`spec/01 §4.4`). */
function accountKey(address: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(0), keccak256(address).subarray(0, 10), address);
}

function cellKey(address: Uint8Array, slot: bigint): Uint8Array {
  const rest = slot === 0n ? "00" : slot.toString(16);
  const bytes = fromHex(rest.length % 2 === 0 ? rest : `0${rest}`);
  const hash = keccak256(fromHex(word(slot))).subarray(0, 10);
  return concatBytes(accountKey(address), Uint8Array.of(0), hash, bytes);
}

const bytesOf = (list: string[]) => list.map((data) => fromHex(data.slice(2)));

describe("eth_getProof", () => {
  let real: RealChain;
  let service: Service;
  let setter: Uint8Array;
  let counter: Uint8Array;

  before(async () => {
    real = await RealChain.open();
    setter = real.deploy(SETTER);
    counter = real.deploy(COUNTER);
    for (let slot = 0; slot < 40; slot++)
      real.send({ to: setter, data: fromHex(word(slot) + word(1000 + slot)), gasLimit: 60_000n });
    real.send({ to: setter, data: fromHex(word(2n ** 255n) + word(2n ** 256n - 1n)), gasLimit: 60_000n });
    await real.mine();
    for (const slot of [3, 7]) real.send({ to: setter, data: fromHex(word(slot) + word(0)), gasLimit: 60_000n });
    await real.mine();
    service = apiOver({ reader: () => real.chain });
  });

  const proofOf = (address: Uint8Array, keys: string[] = [], ...block: unknown[]): Promise<Json> =>
    ask(service, "eth_getProof", toData(address), keys, ...block);

  const rootAt = (number: number) => real.chain.headerByNumber(number)!.stateRoot;

  function shownAccount(number: number, address: Uint8Array, proof: Json): Shown {
    return verify(rootAt(number), accountKey(address), bytesOf(proof.accountProof));
  }

  it("proves accounts with their contents", async () => {
    const proof = await proofOf(SENDER);
    const shown = shownAccount(2, SENDER, proof);
    assert.ok(shown.kind === "present");
    const [nonce, balance] = decodeRlpList(shown.value);
    assert.equal(proof.nonce, `0x${bytesToBigint(nonce!.bytes).toString(16)}`);
    assert.equal(proof.balance, `0x${bytesToBigint(balance!.bytes).toString(16)}`);
    assert.deepEqual([proof.codeHash, proof.storageHash, proof.address], [NO_CODE, EMPTY_TRIE, toData(SENDER)]);
    const contract = await proofOf(setter);
    assert.equal(shownAccount(2, setter, contract).kind, "present");
    assert.equal(contract.codeHash, toData(keccak256(fromHex(SETTER))));
    assert.notEqual(contract.storageHash, EMPTY_TRIE);
  });

  it("proves the absence of accounts", async () => {
    const proof = await proofOf(ABSENT, ["0x0"]);
    assert.equal(shownAccount(2, ABSENT, proof).kind, "absent");
    const { balance, nonce, codeHash, storageHash } = proof;
    assert.deepEqual(
      { balance, nonce, codeHash, storageHash },
      {
        balance: "0x0",
        nonce: "0x0",
        codeHash: `0x${"00".repeat(32)}`,
        storageHash: EMPTY_TRIE,
      },
    );
    const [cell] = proof.storageProof;
    assert.equal(verify(rootAt(2), cellKey(ABSENT, 0n), bytesOf(cell.proof)).kind, "absent");
  });

  it("proves existing, absent and deleted cells", async () => {
    for (const [number, deleted] of [
      [1, false],
      [2, true],
    ] as const) {
      const slots = [0n, 3n, 7n, 39n, 40n, 2n ** 255n, 2n ** 200n];
      const proof = await proofOf(
        setter,
        slots.map((slot) => `0x${slot.toString(16)}`),
        `0x${number}`,
      );
      for (const [i, slot] of slots.entries()) {
        const cell = proof.storageProof[i];
        const isThere = slot === 2n ** 255n || (slot < 40n && !(deleted && (slot === 3n || slot === 7n)));
        const shown = verify(rootAt(number), cellKey(setter, slot), bytesOf(cell.proof));
        assert.equal(shown.kind, isThere ? "present" : "absent", `slot ${slot} at ${number}`);
        const value = shown.kind === "present" ? bytesToBigint(shown.value) : 0n;
        assert.equal(BigInt(cell.value), value);
        assert.equal(cell.key, `0x${slot.toString(16)}`);
      }
    }
  });

  it("returns proofs that fail to verify once changed", async () => {
    const proof = await proofOf(setter, ["0x5"]);
    const nodes = bytesOf(proof.storageProof[0].proof);
    const key = cellKey(setter, 5n);
    assert.equal(verify(rootAt(2), key, nodes).kind, "present");
    assert.throws(() => verify(rootAt(1), key, nodes));
    await fc.assert(
      fc.asyncProperty(
        fc.nat(nodes.length - 1),
        fc.nat(1000),
        fc.integer({ min: 1, max: 255 }),
        async (i, at, mask) => {
          const changed = nodes.map((node) => node.slice());
          changed[i]![at % changed[i]!.length]! ^= mask;
          assert.throws(() => verify(rootAt(2), key, changed));
        },
      ),
      { numRuns: runs(100) },
    );
    assert.throws(() => verify(rootAt(2), key, nodes.slice(0, -1)));
  });

  it("puts a long value after the node that refers to it", () => {
    const nodes = new Map<string, Uint8Array>();
    const state = new JournaledState(openState({ get: () => undefined }, fromHex(EMPTY_TRIE.slice(2))));
    const value = new Uint8Array(100).fill(7);
    for (let slot = 0; slot < 5; slot++) state.setStorageBytes(ABSENT, fromHex(word(slot)), value.subarray(slot));
    const { root, state: after } = state.commit();
    after.save({ put: (hash, bytes) => void nodes.set(toHex(hash), bytes) });
    const view = openState({ get: (hash) => nodes.get(toHex(hash)) }, root);
    const proof = view.storageProof(ABSENT, fromHex(word(2)));
    assert.deepEqual(verify(root, cellKey(ABSENT, 2n), proof), { kind: "present", value: value.subarray(2) });
  });

  it("accepts keys as numbers or data, and any block identifier but pending", async () => {
    const best = toData(real.chain.best().hash);
    const latest = await proofOf(counter, ["0x00", "5"], "latest");
    for (const block of ["0x2", "2", best, { blockHash: best }, { blockNumber: "0x2" }]) {
      assert.deepEqual(await proofOf(counter, ["0x0", "0x5"], block), latest);
    }
    assert.equal(shownAccount(0, counter, await proofOf(counter, [], "earliest")).kind, "absent");
    await assert.rejects(proofOf(counter, [], "pending"), { code: -32201 });
    await assert.rejects(proofOf(counter, [], "0x99"), { code: -32600, message: "Block 0x99 not found" });
    await assert.rejects(proofOf(counter, Array(1001).fill("0x0")), { code: -32602 });
    await assert.rejects(ask(service, "eth_getProof", toData(counter), "0x0", "latest"), { code: -32602 });
  });
});
