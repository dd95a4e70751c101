import { EventEmitter } from "node:events";
import { type ChainEvent, storedBlock } from "@cambium/chain";
import { NETWORKS, type NetworkConfig, rulesAt } from "@cambium/config";
import type { Evm } from "@cambium/evm";
import { fromHex, keccak256, numberToBytes, publicKeyToAddress, secp256k1, toHex, utf8 } from "@cambium/primitives";
import type { StateView } from "@cambium/state";
import {
  Block,
  BlockHeader,
  EMPTY_UNCLES_HASH,
  type HeaderFields,
  type Receipt,
  rewardTransaction,
  signTransaction,
  Transaction,
  type TransactionRequest,
  transactionsRoot,
} from "@cambium/types";
import { type PoolChain, type PoolOptions, TransactionPool } from "../src/index.js";

/** The local network without execution lists, so that a transaction may use the gas of the whole block. */
export const network: NetworkConfig = { ...NETWORKS.local, name: "pool-test", ruleHeights: { rskip144: -1 } };

export const MINIMUM_GAS_PRICE = 100n;
export const GAS_LIMIT = 6_800_000;
export const RICH = 10n ** 24n;

/** Private key of a test account. */
export function keyOf(name: string): Uint8Array {
  return keccak256(utf8(name));
}

export function addressOf(name: string): Uint8Array {
  return publicKeyToAddress(secp256k1.publicKey(keyOf(name)));
}

export function signed(name: string, own: Partial<TransactionRequest> = {}): Transaction {
  const request = { nonce: 0n, gasPrice: MINIMUM_GAS_PRICE, gasLimit: 21_000n, to: new Uint8Array(20).fill(7), ...own };
  return signTransaction({ chainId: network.chainId, ...request }, keyOf(name));
}

/** A transaction with a given sender instead of a real signature. */
export function unsigned(sender: Uint8Array, own: Partial<TransactionRequest> = {}): Transaction {
  const { nonce = 0n, gasPrice = MINIMUM_GAS_PRICE, gasLimit = 21_000n, value = 0n } = own;
  const fields = {
    nonce: bytes(nonce),
    gasPrice,
    gasLimit: bytes(gasLimit),
    to: own.to ?? new Uint8Array(20).fill(7),
    value,
    data: own.data ?? new Uint8Array(0),
    signature: {
      chainId: network.chainId,
      recovery: 0 as const,
      r: keccak256(sender).subarray(0, 31),
      s: Uint8Array.of(1),
    },
    unsignedChainId: 0,
    isReward: false,
  };
  const transaction = new Transaction(fields);
  transaction.setSender(sender);
  return transaction;
}

function bytes(value: bigint): Uint8Array {
  const hex = value === 0n ? "" : value.toString(16);
  return fromHex(hex.length % 2 === 0 ? hex : `0${hex}`);
}

export interface FakeAccount {
  nonce: bigint;
  balance: bigint;
}

/** Accounts by hex address. */
export type Accounts = Map<string, FakeAccount>;

function viewOf(accounts: Accounts): StateView {
  const missing = () => {
    throw new Error("not in the fake");
  };
  return {
    root: new Uint8Array(32),
    exists: (address) => accounts.has(toHex(address)),
    getNonce: (address) => accounts.get(toHex(address))?.nonce ?? 0n,
    getBalance: (address) => accounts.get(toHex(address))?.balance ?? 0n,
    isContract: () => false,
    getCode: missing,
    getCodeSize: missing,
    getCodeHash: missing,
    getStorage: missing,
    getStorageBytes: missing,
    storageEntries: missing,
    storageRoot: missing,
    accountProof: missing,
    storageProof: missing,
    accounts: missing,
  };
}

interface FakeBlock {
  block: Block;
  accounts: Accounts;
  receipts: readonly Receipt[];
}

export interface BlockWish extends Partial<HeaderFields> {
  transactions?: readonly Transaction[];
  /** Account changes besides the nonces of the transactions' senders. */
  accounts?: Record<string, FakeAccount>;
}

const plain = {
  unclesHash: EMPTY_UNCLES_HASH,
  coinbase: new Uint8Array(20),
  stateRoot: new Uint8Array(32),
  receiptsRoot: new Uint8Array(32),
  logsBloom: new Uint8Array(256),
  difficulty: 1n,
  gasLimit: numberToBytes(GAS_LIMIT),
  gasUsed: 0,
  timestamp: 0n,
  extraData: new Uint8Array(0),
  paidFees: 0n,
  minimumGasPrice: MINIMUM_GAS_PRICE,
  uncleCount: 0,
  ummRoot: null,
  version: 0 as const,
  executionEdges: null,
  baseEvent: null,
  parentChainHeader: null,
  merkleProof: null,
  parentChainCoinbase: null,
};

/** A fake chain that accepts every block; its state is the given balances and the nonces used in the blocks. */
export class FakeChain {
  private readonly known = new Map<string, FakeBlock>();
  private readonly emitter = new EventEmitter();
  private tip: Block;
  readonly network: NetworkConfig;
  readonly genesis: BlockHeader;

  constructor(accounts: Accounts, own: Partial<HeaderFields> = {}, ownNetwork = network) {
    this.network = ownNetwork;
    this.tip = this.make(undefined, { ...own }, accounts);
    this.genesis = this.tip.header;
  }

  get asPoolChain(): PoolChain {
    return this as unknown as PoolChain;
  }

  on(listener: (event: ChainEvent) => void): () => void {
    this.emitter.on("event", listener);
    return () => this.emitter.off("event", listener);
  }

  best() {
    return { header: this.tip.header, hash: this.tip.hash, totalDifficulty: 0n };
  }

  blockByHash(hash: Uint8Array): Block | undefined {
    return this.known.get(toHex(hash))?.block;
  }

  receipts(hash: Uint8Array): readonly Receipt[] | undefined {
    return this.known.get(toHex(hash))?.receipts;
  }

  stateAfter(hash: Uint8Array): StateView | undefined {
    const known = this.known.get(toHex(hash));
    return known && viewOf(known.accounts);
  }

  /** Creates and stores a block on `parent`, without an event. */
  make(parent: Block | undefined, wish: BlockWish, base?: Accounts): Block {
    const { transactions = [], accounts = {}, ...own } = wish;
    const number = parent === undefined ? 0 : parent.number + 1;
    const all = number === 0 ? [...transactions] : [...transactions, rewardTransaction(number)];
    const fields: HeaderFields = {
      ...plain,
      parentHash: parent?.hash ?? new Uint8Array(32),
      transactionsRoot: transactionsRoot(all, rulesAt(this.network, number)),
      number,
      ...own,
    };
    const block = new Block(BlockHeader.create(fields, this.network), all, []);
    const before = base ?? this.known.get(toHex(parent!.hash))!.accounts;
    const after: Accounts = number === 0 ? before : new Map(before);
    for (const { sender, nonce } of transactions) {
      const key = toHex(sender!);
      after.set(key, { balance: after.get(key)?.balance ?? 0n, nonce: nonce + 1n });
    }
    for (const [key, account] of Object.entries(accounts)) after.set(key, account);
    this.known.set(toHex(block.hash), { block, accounts: after, receipts: [] });
    return block;
  }

  /** Connects a block to the tip. */
  extend(wish: BlockWish = {}): Block {
    this.tip = this.make(this.tip, wish);
    this.emit({ kind: "newHead", ...storedBlock(this.tip, [], "sync") });
    return this.tip;
  }

  sideBlock(block: Block): void {
    this.emit({ kind: "sideBlock", ...storedBlock(block, [], "sync") });
  }

  /** Reorganises to another branch, given ascending from the common ancestor. */
  reorganise(removed: readonly Block[], added: readonly Block[]): void {
    this.tip = added.at(-1)!;
    const hashes = (blocks: readonly Block[]) => blocks.map(({ hash }) => hash);
    const commonAncestor = added[0]!.header.parentHash;
    const reorganisation = { commonAncestor, removed: hashes(removed), added: hashes(added) };
    this.emit({ kind: "reorg", reorganisation, ...storedBlock(this.tip, [], "sync") });
  }

  get head(): Block {
    return this.tip;
  }

  private emit(event: ChainEvent): void {
    this.emitter.emit("event", event);
  }
}

/** Interpreter for tests that execute nothing. */
export const noEvm: Evm = {
  execute: () => {
    throw new Error("nothing is executed here");
  },
  call: () => {
    throw new Error("nothing is executed here");
  },
  simulate: () => {
    throw new Error("nothing is executed here");
  },
};

export interface Setting {
  chain: FakeChain;
  pool: TransactionPool;
  /** Current time in seconds. */
  clock: { now: number };
  /** Whether the node is downloading blocks that its peers have. */
  sync: { isCatchingUp: boolean };
}

/** A pool over a fake chain with well-funded accounts. */
export function setting(names: readonly string[], options: Partial<PoolOptions> = {}, header = {}): Setting {
  const accounts: Accounts = new Map(names.map((name) => [toHex(addressOf(name)), { nonce: 0n, balance: RICH }]));
  return settingOf(accounts, options, header);
}

export function settingOf(accounts: Accounts, options: Partial<PoolOptions> = {}, header = {}): Setting {
  const chain = new FakeChain(accounts, header);
  const clock = { now: 1000 };
  const sync = { isCatchingUp: false };
  const modules = {
    chain: chain.asPoolChain,
    evm: noEvm,
    now: () => clock.now,
    isCatchingUp: () => sync.isCatchingUp,
  };
  return { chain, clock, sync, pool: new TransactionPool(modules, { rateLimit: false, ...options }) };
}

/** Returns the kind of result, or the message of a refusal. */
export function outcome(pool: TransactionPool, transaction: Transaction, local = false): string {
  const result = pool.add(transaction, { local });
  return result.kind === "refused" ? result.message : result.kind;
}
