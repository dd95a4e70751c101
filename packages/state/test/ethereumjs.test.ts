import assert from "node:assert/strict";
import { EMPTY_TRIE_ROOT, fromHex, leftPad } from "@cambium/primitives";
import { MemoryStore } from "@cambium/test-utils/memory-store";
import { createEVM } from "@ethereumjs/evm";
import { Account, Address } from "@ethereumjs/util";
import { EthereumJsStateManager } from "../src/ethereumjs/index.js";
import { openState, StateError } from "../src/index.js";

const contract = new Address(fromHex("11".repeat(20)));
const caller = new Address(fromHex("22".repeat(20)));
const SLOT = leftPad(Uint8Array.of(1), 32);

/** SSTORE(1, SLOAD(1) + CALLVALUE), then returns the new value. */
const CODE = fromHex("60015434018060015560005260206000f3");

describe("EthereumJS state manager", () => {
  it("runs @ethereumjs/evm on this node's state", async () => {
    const stateManager = new EthereumJsStateManager(new MemoryStore());
    await stateManager.putAccount(caller, new Account(0n, 100n));
    await stateManager.putCode(contract, CODE);
    const evm = await createEVM({ stateManager });
    for (const expected of [7n, 14n]) {
      const result = await evm.runCall({ caller, to: contract, value: 7n, gasLimit: 100_000n });
      assert.equal(result.execResult.exceptionError, undefined);
      assert.equal(BigInt(`0x${Buffer.from(result.execResult.returnValue).toString("hex")}`), expected);
    }
    assert.deepEqual(await stateManager.getStorage(contract, SLOT), Uint8Array.of(14));
    assert.equal((await stateManager.getAccount(caller))?.balance, 86n);
  });

  it("computes, sets and recognises roots without writing to the store", async () => {
    const store = new MemoryStore();
    const stateManager = new EthereumJsStateManager(store);
    await stateManager.putAccount(caller, new Account(1n, 2n));
    const first = await stateManager.getStateRoot();
    await stateManager.putStorage(contract, SLOT, leftPad(Uint8Array.of(5), 32));
    const second = await stateManager.getStateRoot();
    assert.notDeepEqual(first, second);
    const copy = stateManager.shallowCopy();
    await stateManager.setStateRoot(first);
    assert.equal(await stateManager.getAccount(contract), undefined);
    assert.deepEqual(await copy.getStorage(contract, SLOT), Uint8Array.of(5));
    assert.deepEqual([await copy.hasStateRoot(first), await copy.hasStateRoot(SLOT)], [true, false]);
    await stateManager.setStateRoot(EMPTY_TRIE_ROOT);
    assert.equal(await stateManager.getAccount(caller), undefined);
    assert.equal(store.entries.size, 0);
    assert.throws(() => openState(store, second).getBalance(caller.bytes));
  });

  it("reverts and commits checkpoints", async () => {
    const stateManager = new EthereumJsStateManager(new MemoryStore());
    await stateManager.checkpoint();
    await stateManager.putAccount(caller, new Account(0n, 1n));
    await stateManager.checkpoint();
    await stateManager.modifyAccountFields(caller, { balance: 2n });
    await stateManager.commit();
    assert.equal((await stateManager.getAccount(caller))?.balance, 2n);
    await assert.rejects(stateManager.getStateRoot(), StateError);
    await stateManager.revert();
    assert.equal(await stateManager.getAccount(caller), undefined);
  });

  it("clears stored and uncommitted cells of an account", async () => {
    const stateManager = new EthereumJsStateManager(new MemoryStore());
    const other = leftPad(Uint8Array.of(2), 32);
    await stateManager.putStorage(contract, SLOT, Uint8Array.of(1));
    await stateManager.getStateRoot();
    await stateManager.putStorage(contract, other, Uint8Array.of(2));
    await stateManager.clearStorage(contract);
    for (const key of [SLOT, other]) assert.equal((await stateManager.getStorage(contract, key)).length, 0);
  });
});
