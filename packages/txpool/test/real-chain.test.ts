import assert from "node:assert/strict";
import { inspect } from "node:util";
import { type Chain, createChainEvm, executeBlock, executionProfile, localBlock, openChain } from "@cambium/chain";
import { NETWORKS, rulesAt } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { keccak256, numberToBytes, publicKeyToAddress, secp256k1, toHex, utf8 } from "@cambium/primitives";
import { JournaledState, type KeyedStateView } from "@cambium/state";
import {
  Block,
  BlockHeader,
  type HeaderFields,
  receiptsRoot,
  signTransaction,
  type Transaction,
  type TransactionRequest,
  transactionsRoot,
} from "@cambium/types";
import { openTransactionPool, type TransactionPool } from "../src/index.js";

const withoutLists = { ...NETWORKS.local.ruleHeights, rskip144: -1, rskip351: -1, rskip535: -1 };
const network = { ...NETWORKS.local, name: "pool-chain", ruleHeights: withoutLists };
const KEY = keccak256(utf8("cow"));
const COW = publicKeyToAddress(secp256k1.publicKey(KEY));
const OTHER = new Uint8Array(20).fill(0x77);

function signed(own: Partial<TransactionRequest> = {}): Transaction {
  const request = { nonce: 0n, gasPrice: 0n, gasLimit: 100_000n, to: OTHER, value: 1n, chainId: network.chainId };
  return signTransaction({ ...request, ...own }, KEY);
}

describe("a pool over a real chain", () => {
  let chain: Chain;
  let pool: TransactionPool;
  const evm = createChainEvm(network);

  beforeEach(async () => {
    chain = await openChain({ network, database: new MemoryDatabase(), profile: executionProfile });
    pool = openTransactionPool({ chain, evm, now: () => 0 });
  });
  afterEach(() => chain.close());

  /** A block on `parent` with the roots of its execution. */
  function build(parent: BlockHeader, transactions: readonly Transaction[], difficulty = 1n): Block {
    const number = parent.number + 1;
    const root = transactionsRoot(transactions, rulesAt(network, number));
    const unmined = { parentChainHeader: null, merkleProof: null, parentChainCoinbase: null };
    const fields: HeaderFields = {
      ...parent.fields(),
      parentHash: parent.hash,
      number,
      difficulty,
      transactionsRoot: root,
      ...unmined,
    };
    const draft = new Block(BlockHeader.create({ ...fields, ummRoot: new Uint8Array(0) }, network), transactions, []);
    const state = new JournaledState(chain.stateAfter(parent.hash) as KeyedStateView);
    const ancestors = chain.ancestors(parent.hash);
    const { receipts, logsBloom, gasUsed, paidFees } = executeBlock({ block: draft, state, evm, network, ancestors });
    const executed = { stateRoot: state.commit().root, receiptsRoot: receiptsRoot(receipts, rulesAt(network, number)) };
    const header = { ...draft.header.fields(), ...executed, logsBloom, gasUsed, paidFees };
    return new Block(BlockHeader.create(header, network), transactions, []);
  }

  async function connect(
    parent: BlockHeader,
    transactions: readonly Transaction[],
    difficulty = 1n,
  ): Promise<BlockHeader> {
    const result = await chain.import(localBlock(build(parent, transactions, difficulty)));
    assert.ok(result.kind.startsWith("imported"), inspect(result));
    return result.kind === "imported-best" ? chain.best().header : build(parent, transactions, difficulty).header;
  }

  it("has each transaction mined exactly once, whichever branch wins", async () => {
    const all = Array.from({ length: 6 }, (_, i) => signed({ nonce: BigInt(i) }));
    for (const transaction of all) assert.equal(pool.add(transaction, { local: false }).kind, "pending");
    const one = await connect(chain.genesis, pool.ordered().slice(0, 2));
    await connect(one, pool.ordered().slice(0, 2));
    assert.equal(pool.counts().pending, 2);
    // reorganisation to a branch that contains only the first transaction
    const other = await connect(chain.genesis, all.slice(0, 1), 3n);
    assert.deepEqual(toHex(chain.best().hash), toHex(other.hash));
    assert.deepEqual(
      pool.ordered().map(({ nonce }) => Number(nonce)),
      [1, 2, 3, 4, 5],
    );
    await connect(other, pool.ordered());
    assert.equal(pool.counts().pending, 0);
    assert.equal(pool.pendingNonce(COW), 6n);
    assert.equal(chain.stateAfter(chain.best().hash)!.getBalance(OTHER), 6n);
  });

  it("executes pending transactions when the pending state is read", async () => {
    assert.equal(pool.pendingState().getBalance(OTHER), 0n);
    pool.addAll([signed(), signed({ nonce: 1n, value: 10n }), signed({ nonce: 5n, value: 100n })], { local: false });
    const state = pool.pendingState();
    assert.equal(state.getBalance(OTHER), 11n);
    assert.equal(state.getNonce(COW), 2n);
    assert.equal(pool.pendingState(), state);
    // init code that stores 5 in cell 0 and deploys nothing
    const creation = signed({ nonce: 2n, to: undefined, value: 0n, data: Uint8Array.of(0x60, 5, 0x60, 0, 0x55) });
    pool.add(creation, { local: false });
    assert.equal(pool.pendingState().getStorage(creation.createdAddress!, 0n), 5n);
    await connect(chain.genesis, pool.ordered().slice(0, 1));
    assert.equal(pool.pendingState().getBalance(OTHER), 11n);
    assert.equal(chain.stateAfter(chain.best().hash)!.getBalance(OTHER), 1n);
  });

  it("bounds the gas for the pending state", () => {
    const small = openTransactionPool({ chain, evm, now: () => 0 }, { pendingStateBlocks: 50_000 / 10_000_000 });
    small.addAll(
      Array.from({ length: 10 }, (_, i) => signed({ nonce: BigInt(i) })),
      { local: false },
    );
    assert.equal(small.pendingState().getBalance(OTHER), 3n);
    assert.equal(small.pendingNonce(COW), 10n);
  });

  it("caches the senders of transactions", () => {
    const transaction = signed();
    pool.add(transaction, { local: false });
    assert.deepEqual(pool.knownSender(transaction.hash), COW);
    assert.equal(pool.knownSender(numberToBytes(1)), undefined);
  });

  it("knows the senders of all its transactions, whatever the size of its cache", () => {
    const small = openTransactionPool({ chain, evm, now: () => 0 }, { senderCacheSize: 1 });
    const transactions = [0n, 1n, 2n].map((nonce) => signed({ nonce }));
    small.addAll(transactions, { local: false });
    for (const { hash } of transactions) assert.deepEqual(small.knownSender(hash), COW);
    small.clear();
    assert.equal(small.knownSender(transactions[0]!.hash), undefined);
    small.close();
  });
});
