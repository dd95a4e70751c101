import assert from "node:assert/strict";
import { type Chain, createChainEvm, executionProfile, openChain } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import type { Evm } from "@cambium/evm";
import { keccak256, publicKeyToAddress, secp256k1, utf8 } from "@cambium/primitives";
import type { StateReader } from "@cambium/state";
import { fc } from "@cambium/test-utils/properties";
import { signTransaction, type Transaction } from "@cambium/types";
import { bestStateOf, PendingState } from "../src/index.js";
import type { PendingStateOptions } from "../src/pending-state.js";

const network = NETWORKS.local;
const SENDERS = ["cow", "cow1", "cow2"].map((name) => keccak256(utf8(name)));
const OTHER = new Uint8Array(20).fill(0x77);
const ADDRESSES = [OTHER, ...SENDERS.map((key) => publicKeyToAddress(secp256k1.publicKey(key)))];
/** Creation codes that store the number of the block in cell 0; one of them then self-destructs. */
const CREATIONS = [Uint8Array.of(0x43, 0x5f, 0x55), Uint8Array.of(0x43, 0x5f, 0x55, 0x33, 0xff)];

function transaction(sender: number, nonce: number, kind: number): Transaction {
  const own = kind < 2 ? { data: CREATIONS[kind]! } : { to: OTHER, value: BigInt(kind) };
  const request = {
    nonce: BigInt(nonce),
    gasPrice: 1n,
    gasLimit: 100_000n,
    value: 0n,
    chainId: network.chainId,
    ...own,
  };
  return signTransaction(request, SENDERS[sender]!);
}

describe("the state with the pending transactions", () => {
  let chain: Chain;
  const evm = createChainEvm(network);
  let executed = 0;
  /** Delay for each transaction. */
  let delay = 0;
  const counting: Evm = {
    ...evm,
    execute(run) {
      executed++;
      const end = performance.now() + delay;
      while (performance.now() < end);
      return evm.execute(run);
    },
  };

  before(async () => {
    chain = await openChain({ network, database: new MemoryDatabase(), profile: executionProfile });
  });
  after(() => chain.close());
  beforeEach(() => {
    executed = 0;
    delay = 0;
  });

  const open = (own: Partial<PendingStateOptions> = {}) =>
    new PendingState({ chain, evm: counting, best: bestStateOf(chain, chain.best().header), maxBlocks: 10, ...own });

  const describeState = (state: StateReader, transactions: readonly Transaction[]) => ({
    balances: ADDRESSES.map((address) => state.getBalance(address)),
    nonces: ADDRESSES.map((address) => state.getNonce(address)),
    cells: transactions.map(({ createdAddress }) => createdAddress && state.getStorage(createdAddress, 0n)),
  });

  it("executes only what was added", () => {
    const pending = open();
    const all = Array.from({ length: 10 }, (_, nonce) => transaction(0, nonce, 5));
    assert.equal(pending.after(all.slice(0, 6)).getBalance(OTHER), 30n);
    assert.equal(pending.after(all).getBalance(OTHER), 50n);
    assert.equal(executed, 10);
    assert.equal(pending.after(all.slice(0, 2)).getBalance(OTHER), 10n);
    assert.equal(executed, 10);
    const other = transaction(1, 0, 7);
    assert.equal(pending.after([all[0]!, other, all[1]!]).getBalance(OTHER), 17n);
    assert.equal(executed, 12);
  });

  it("equals the state of an execution from the start, whatever changed", () => {
    const one = fc.tuple(fc.nat(2), fc.nat(3), fc.nat(4));
    const lists = fc.array(fc.array(one, { maxLength: 6 }), { minLength: 2, maxLength: 6 });
    const property = fc.property(lists, (steps) => {
      const known = new Map<string, Transaction>();
      const pending = open();
      for (const list of steps) {
        const transactions = list.map((names) => {
          const name = names.join();
          if (!known.has(name)) known.set(name, transaction(...names));
          return known.get(name)!;
        });
        const all = [...known.values()];
        assert.deepEqual(
          describeState(pending.after(transactions), all),
          describeState(open().after(transactions), all),
        );
      }
    });
    fc.assert(property);
  });

  it("leaves out what takes too long, and continues with the next call", () => {
    delay = 2;
    const pending = open();
    const all = Array.from({ length: 10 }, (_, nonce) => transaction(0, nonce, 5));
    let before = -1;
    let calls = 0;
    for (; before < executed; calls++) {
      before = executed;
      assert.equal(pending.execute(all, 5), executed === all.length);
      assert.equal(pending.current.getBalance(OTHER), 5n * BigInt(executed));
    }
    assert.equal(executed, 10);
    assert.ok(calls > 3);
  });
});
