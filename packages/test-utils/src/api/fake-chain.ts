import { type ChainReader, type LogLocation, type LogQuery, locatedReceipts } from "@cambium/chain";
import { local, type NetworkConfig } from "@cambium/config";
import type { LocalCall, LocalCallOutcome } from "@cambium/evm";
import { bigintToBytes, bytesToBigint, EMPTY_TRIE_ROOT, equalBytes, toHex } from "@cambium/primitives";
import type { StateView } from "@cambium/state";
import {
  Block,
  BlockHeader,
  bloomOfLogs,
  type Log,
  type Receipt,
  rewardTransaction,
  signTransaction,
  type Transaction,
} from "@cambium/types";

export const KEY = new Uint8Array(32).fill(7);
export const CONTRACT = new Uint8Array(20).fill(0xc0);
export const RICH = new Uint8Array(20).fill(0xaa);
export const TOPIC_A = new Uint8Array(32).fill(0x0a);
export const TOPIC_B = new Uint8Array(32).fill(0x0b);

/** A chain in memory with real blocks, whose states and call results are set by the test. */
export class FakeChain {
  readonly blocks: Block[] = [];
  readonly sides: Block[] = [];
  private readonly receiptsOf = new Map<string, Receipt[]>();
  private readonly totals = new Map<string, bigint>();
  /** Number of the snapshot's block. */
  snapshot = 0;
  /** Number of the lowest block above genesis that is stored; 0 if all are. */
  earliest = 0;
  /** Result of `call`; may throw. */
  onCall: (call: LocalCall) => Partial<LocalCallOutcome> = () => ({});
  /** Runs before the logs of each block are read. */
  onLogs: (query: LogQuery) => void = () => {};
  balance = 10n ** 18n;

  constructor(readonly network: NetworkConfig = local) {
    this.add(makeHeader(0, new Uint8Array(32), network), [], []);
  }

  /** Adds a best block with one transaction for each list of logs, and the reward transaction. */
  extend(logsByTransaction: readonly (readonly Log[])[] = [], uncles: readonly BlockHeader[] = []): Block {
    const parent = this.blocks.at(-1)!;
    const transactions: Transaction[] = logsByTransaction.map((_, i) => this.transaction(parent.number + 1, i));
    transactions.push(rewardTransaction(parent.number + 1));
    const logsBloom = bloomOfLogs(logsByTransaction.flat());
    const header = makeHeader(parent.number + 1, parent.hash, this.network).with({ logsBloom });
    return this.add(header, transactions, uncles, [...logsByTransaction, []]);
  }

  /** Adds a side block at the height of the best block. */
  addSide(logs: readonly Log[] = []): Block {
    const head = this.blocks.at(-1)!;
    const header = makeHeader(head.number, head.header.parentHash, this.network).with({ extraData: Uint8Array.of(1) });
    const block = new Block(header, [rewardTransaction(head.number)], []);
    this.sides.push(block);
    this.record(block, [logs]);
    return block;
  }

  private transaction(number: number, index: number): Transaction {
    const to = index === 1 ? undefined : CONTRACT;
    const chainId = index === 2 ? undefined : this.network.chainId;
    const nonce = BigInt(number * 16 + index);
    return signTransaction({ nonce, gasPrice: 60_000_000n, gasLimit: 100_000n, to, value: 5n, chainId }, KEY);
  }

  private add(
    header: BlockHeader,
    transactions: readonly Transaction[],
    uncles: readonly BlockHeader[],
    logs: readonly (readonly Log[])[] = [],
  ): Block {
    const block = new Block(header, transactions, uncles);
    this.blocks.push(block);
    this.record(block, logs);
    return block;
  }

  private record(block: Block, logs: readonly (readonly Log[])[]): void {
    const receipts = logs.map(
      (list, i): Receipt => ({
        status: i === 1 ? 0 : 1,
        gasUsed: 21_000 + i,
        cumulativeGas: 21_000 * (i + 1),
        logsBloom: bloomOfLogs(list),
        logs: list,
      }),
    );
    this.receiptsOf.set(toHex(block.hash), receipts);
    this.totals.set(toHex(block.hash), BigInt(block.number + 1) * 10n);
  }

  find(hash: Uint8Array): Block | undefined {
    return [...this.blocks, ...this.sides].find((block) => equalBytes(block.hash, hash));
  }

  private stored(number: number): Block | undefined {
    return number > 0 && number < this.earliest ? undefined : this.blocks[number];
  }

  /** The chain as the package under test sees it. */
  reader(): ChainReader {
    const chain = this;
    return {
      network: chain.network,
      genesis: chain.blocks[0]!.header,
      best() {
        const { header } = chain.blocks.at(-1)!;
        return { header, hash: header.hash, totalDifficulty: chain.totals.get(toHex(header.hash))! };
      },
      headerByHash: (hash) => chain.find(hash)?.header,
      blockByHash: (hash) => chain.find(hash),
      headerByNumber: (number) => chain.stored(number)?.header,
      blockByNumber: (number) => chain.stored(number),
      hashByNumber: (number) => chain.stored(number)?.hash,
      hashesByNumber: (number) =>
        [...chain.blocks, ...chain.sides].filter((block) => block.number === number).map(({ hash }) => hash),
      earliestBlock: () => chain.earliest,
      snapshotBlock: () => chain.snapshot,
      isOnBestChain: (hash) => chain.blocks.some((block) => equalBytes(block.hash, hash)),
      encodedBlock: (hash) => chain.find(hash)?.encode(),
      encodedBody() {
        throw new Error("not read by this package");
      },
      isKnownInvalid: () => false,
      totalDifficulty: (hash) => chain.totals.get(toHex(hash)),
      receipts: (hash) =>
        (chain.find(hash)?.number ?? 0) > chain.snapshot || chain.snapshot === 0
          ? chain.receiptsOf.get(toHex(hash))
          : undefined,
      receipt(hash, index) {
        const receipts = this.receipts(hash);
        return receipts && locatedReceipts(receipts)[index];
      },
      findTransaction(hash) {
        for (const block of chain.blocks) {
          const index = block.transactions.findIndex((transaction) => equalBytes(transaction.hash, hash));
          if (index >= 0) return { transaction: block.transactions[index]!, header: block.header, index };
        }
        return undefined;
      },
      accountChanges: () => undefined,
      stateAfter: (hash) => (chain.find(hash) ? chain.state(hash) : undefined),
      ancestors() {
        throw new Error("not read by this package");
      },
      openCandidate() {
        throw new Error("not read by these tests");
      },
      openSimulation() {
        throw new Error("not read by these tests");
      },
      openTransaction() {
        throw new Error("not read by these tests");
      },
      replay() {
        throw new Error("blocks of a fake chain have nothing to execute");
      },
      logs: (query) => [...chain.logsByBlock(query)].flat(),
      logsByBlock: (query) => chain.logsByBlock(query),
      call: (call) => ({
        status: 1,
        gasUsed: 21_000,
        fee: 0n,
        refund: 0,
        logs: [],
        output: new Uint8Array(0),
        reverted: false,
        deleted: [],
        calledContracts: new Set(),
        maxGasUsed: 21_000,
        movedRemainingGasToChild: false,
        stipend: 0,
        ...chain.onCall(call),
      }),
    };
  }

  /** Returns a state that identifies its block: the nonce of every account is the first byte of the block's hash. */
  private state(hash: Uint8Array): StateView {
    const isRich = (address: Uint8Array) => equalBytes(address, RICH);
    const state: Partial<StateView> = {
      root: EMPTY_TRIE_ROOT,
      getBalance: (address) => (isRich(address) ? this.balance : 0n),
      getNonce: (address) => (isRich(address) ? BigInt(hash[0]!) : 0n),
      getCode: (address) => (equalBytes(address, CONTRACT) ? Uint8Array.of(0x60, 0x00) : new Uint8Array(0)),
      getStorageBytes: (address, key) => {
        if (!equalBytes(address, CONTRACT)) return undefined;
        const slot = bytesToBigint(key);
        return slot === 1n ? Uint8Array.of(0x16, 0x2e) : slot === 2n ? new Uint8Array(40).fill(1) : undefined;
      },
    };
    return state as StateView;
  }

  private *logsByBlock(query: LogQuery): Iterable<LogLocation[]> {
    for (const block of this.blocks.slice(query.fromBlock, query.toBlock + 1)) {
      this.onLogs(query);
      const found: LogLocation[] = [];
      let logIndex = 0;
      for (const [transactionIndex, receipt] of this.receiptsOf.get(toHex(block.hash))!.entries()) {
        for (const log of receipt.logs) {
          const located = { log, blockHash: block.hash, blockNumber: block.number, transactionIndex };
          const { timestamp: blockTimestamp } = block.header;
          const transactionHash = block.transactions[transactionIndex]!.hash;
          if (matches(query, log)) found.push({ ...located, blockTimestamp, transactionHash, logIndex });
          logIndex++;
        }
      }
      yield found;
    }
  }
}

function matches({ addresses, topics }: LogQuery, log: Log): boolean {
  const has = (list: readonly Uint8Array[], one: Uint8Array | undefined) =>
    one !== undefined && list.some((item) => equalBytes(item, one));
  if (addresses !== undefined && !has(addresses, log.address)) return false;
  return (topics ?? []).every((list, i) => list === null || has(list, log.topics[i]));
}

export function makeLog(address: Uint8Array, topics: readonly Uint8Array[] = [], data = Uint8Array.of(1)): Log {
  return { address, topics, data };
}

export function makeHeader(number: number, parentHash: Uint8Array, network: NetworkConfig): BlockHeader {
  const fields = {
    parentHash,
    unclesHash: new Uint8Array(32).fill(0x1d),
    coinbase: new Uint8Array(20).fill(0x99),
    stateRoot: EMPTY_TRIE_ROOT,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: new Uint8Array(256),
    difficulty: 10n,
    number,
    gasLimit: bigintToBytes(6_800_000n),
    gasUsed: 42_000,
    timestamp: BigInt(1_700_000_000 + number),
    extraData: new Uint8Array(0),
    paidFees: 7n,
    minimumGasPrice: 59_240_000n,
    uncleCount: 0,
    ummRoot: number === 0 ? null : new Uint8Array(0),
    version: number === 0 ? (0 as const) : (1 as const),
    executionEdges: number === 0 ? null : [1],
    baseEvent: null,
    parentChainHeader: number === 0 ? null : new Uint8Array(80).fill(3),
    merkleProof: number === 0 ? null : new Uint8Array(64).fill(4),
    parentChainCoinbase: number === 0 ? null : new Uint8Array(100).fill(5),
  };
  return BlockHeader.create(fields, network);
}
