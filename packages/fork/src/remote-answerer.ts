import { join } from "node:path";
import { type BlockId, ChainError, type LogLocation, type LogQuery, NO_STATE, TABLES } from "@cambium/chain-store";
import { BRIDGE_ADDRESS, type ForkConfig, type NetworkConfig, REWARD_SENDER, rulesAt } from "@cambium/config";
import { readNumber, writeNumber } from "@cambium/database";
import {
  bigintToBytes,
  bytesToBigint,
  concatBytes,
  decodeRlpList,
  EMPTY_BYTES,
  encodeRlp,
  equalBytes,
  numberToBytes,
  RawRlp,
  toData,
  toHex,
  toQuantity,
} from "@cambium/primitives";
import { accountKey, encodeAccount, markedNativeContracts, storedWord } from "@cambium/state";
import {
  Block,
  BlockHeader,
  blockItems,
  decodeReceipt,
  EMPTY_UNCLES_HASH,
  encodeReceipt,
  receiptsRoot,
  unclesHash,
} from "@cambium/types";
import {
  asObject,
  countOf,
  dataOf,
  faultOf,
  headerOf,
  type Json,
  listOf,
  logOf,
  MalformedAnswer,
  quantityOf,
  receiptOf,
  transactionOf,
  wordOf,
} from "./block-json.js";
import { ForkCache } from "./fork-cache.js";
import type { ForkAnswerer, ForkAnswers } from "./fork-messages.js";
import { EndpointError, JsonRpcEndpoint } from "./json-rpc-endpoint.js";
import { type PartOfAccount, partOfAccount } from "./state-key.js";

/** Names of the method that reads a cell of any length, by client. */
const CELL_METHODS = ["chain_getStorageBytesAt", "rsk_getStorageBytesAt"];
const REWARD_SENDER_KEY = accountKey(REWARD_SENDER);
const MARKER = Uint8Array.of(1);

/** What is known of a block: its parts as the tables of `chain-store` have them. */
interface BlockParts {
  header: Uint8Array;
  transactions: Uint8Array;
  uncles: Uint8Array;
  totalDifficulty: bigint;
}

/** Answers from a JSON-RPC endpoint, and keeps them on disk. */
export class RemoteAnswerer implements ForkAnswerer {
  private readonly fork: ForkConfig;
  private endpoint: JsonRpcEndpoint;
  private readonly cache: ForkCache;
  private readonly native: ReadonlySet<string>;
  /** Undefined until it is known whether the endpoint has one. */
  private cellMethod: string | null | undefined;
  private hasRawBlocks = true;

  constructor(private readonly network: NetworkConfig) {
    this.fork = network.fork!;
    this.endpoint = new JsonRpcEndpoint(this.fork.source);
    const { cache, hash } = this.fork;
    this.cache = new ForkCache(cache === undefined ? undefined : join(cache, toHex(hash)));
    this.native = new Set(markedNativeContracts(network, this.fork.number).map(toHex));
  }

  /** Its answers are not kept on disk. */
  after(block: BlockId): RemoteAnswerer {
    const { cache: _, ...fork } = this.fork;
    const earlier = new RemoteAnswerer({ ...this.network, fork: { ...fork, ...block } });
    earlier.cellMethod = this.cellMethod;
    earlier.endpoint = this.endpoint.about(` after block ${block.number}`);
    return earlier;
  }

  async value(key: Uint8Array): Promise<Uint8Array | undefined> {
    const part = partOfAccount(key);
    // JSON-RPC does not have the sender of reward transactions, whose address is one byte. Each block has had one
    // (`spec/05 §2.1`).
    if (part === undefined) return equalBytes(key, REWARD_SENDER_KEY) ? this.rewardSender : undefined;
    if (part.kind === "cell") return this.cell(part);
    const [record, marker, code] = await this.account(part.address);
    const value = { record, marker, code }[part.kind];
    return value !== undefined && value.length > 0 ? value : undefined;
  }

  /** Rejects: JSON-RPC cannot list the keys of a state. */
  async entries(): Promise<ForkAnswers["entries"]> {
    throw this.endpoint.failure("entries of the state", "JSON-RPC cannot list accounts or storage cells");
  }

  async block(table: number, key: Uint8Array): Promise<Uint8Array | undefined> {
    switch (table) {
      case TABLES.bestChain:
        return this.hashAt(readNumber(key, 0));
      case TABLES.headers:
        return (await this.parts(key))?.header;
      case TABLES.transactions:
        return (await this.parts(key))?.transactions;
      case TABLES.uncles:
        return (await this.parts(key))?.uncles;
      case TABLES.outcomes: {
        const parts = await this.parts(key);
        return parts && concatBytes(NO_STATE, bigintToBytes(parts.totalDifficulty));
      }
      case TABLES.receipts:
        return this.receipts(key);
      case TABLES.transactionIndex:
        return this.position(key);
      default:
        return undefined;
    }
  }

  async logs(query: LogQuery): Promise<LogLocation[]> {
    const { addresses = [], topics = [], fromBlock, toBlock } = query;
    const filter = {
      fromBlock: toQuantity(fromBlock),
      toBlock: toQuantity(Math.min(toBlock, this.fork.number)),
      ...(addresses.length === 0 ? {} : { address: addresses.map(toData) }),
      topics: topics.map((some) => some?.map(toData) ?? null),
    };
    return this.kept(`logs ${JSON.stringify(filter)}`, LOGS, async () => {
      const found = await this.endpoint.call("eth_getLogs", filter);
      const logs = this.read("eth_getLogs", () => listOf(found).map((log) => locatedLog(asObject(log))));
      for (const log of logs) log.blockTimestamp ||= await this.timestamp(log.blockHash);
      return logs;
    });
  }

  /** Of a block whose logs come without it. */
  private async timestamp(hash: Uint8Array): Promise<bigint> {
    const parts = await this.parts(hash);
    return parts === undefined ? 0n : BlockHeader.decode(parts.header, this.network).timestamp;
  }

  /** Record, marker and code; empty if absent. */
  private account(address: Uint8Array): Promise<readonly Uint8Array[]> {
    return this.kept(`account ${toHex(address)}`, BYTE_STRINGS, async () => {
      const account = toData(address);
      const at = this.selector();
      const calls = [
        { method: "eth_getBalance", params: [account, at] },
        { method: "eth_getTransactionCount", params: [account, at] },
        { method: "eth_getCode", params: [account, at] },
        { method: "eth_call", params: [{ data: existenceProbe(address) }, at] },
      ];
      const [balance, nonce, code, probe] = await this.endpoint.batch(calls);
      return this.read("eth_getBalance", () =>
        this.accountParts(address, {
          balance: quantityOf(this.endpoint.required(balance, "eth_getBalance")),
          nonce: quantityOf(this.endpoint.required(nonce, "eth_getTransactionCount")),
          code: dataOf(this.endpoint.required(code, "eth_getCode") ?? "0x"),
          isProbed: typeof probe === "string" && probe.length === 66 && !/^0x0*$/.test(probe),
        }),
      );
    });
  }

  private accountParts(address: Uint8Array, found: FoundAccount): readonly Uint8Array[] {
    const { balance, nonce, code, isProbed } = found;
    const isNative = this.native.has(toHex(address));
    const exists = balance > 0n || nonce > 0n || code.length > 0 || isProbed || isNative;
    if (!exists) return [EMPTY_BYTES, EMPTY_BYTES, EMPTY_BYTES];
    const marker = code.length > 0 || isNative ? MARKER : EMPTY_BYTES;
    return [encodeAccount({ nonce, balance, flags: 0 }), marker, code];
  }

  private async cell({ address, cell }: PartOfAccount & { kind: "cell" }): Promise<Uint8Array | undefined> {
    const [value] = await this.kept(`cell ${toHex(address)} ${toHex(cell)}`, BYTE_STRINGS, async () => {
      const found = equalBytes(address, BRIDGE_ADDRESS)
        ? await this.bridgeCell(address, cell)
        : storedWord(await this.word(address, cell));
      return [found ?? EMPTY_BYTES];
    });
    return value!.length > 0 ? value : undefined;
  }

  private async word(address: Uint8Array, cell: Uint8Array): Promise<bigint> {
    const position = toQuantity(bytesToBigint(cell));
    const word = await this.endpoint.call("eth_getStorageAt", toData(address), position, this.selector());
    return this.read("eth_getStorageAt", () => wordOf(word));
  }

  /** Cells of the bridge hold byte strings of any length; those of the reward contract are words (`spec/05 §5`). */
  private async bridgeCell(address: Uint8Array, cell: Uint8Array): Promise<Uint8Array | undefined> {
    const params = [toData(address), toQuantity(bytesToBigint(cell)), this.selector()];
    for (const method of this.cellMethod === undefined ? CELL_METHODS : [this.cellMethod]) {
      if (method === null) break;
      const [result] = await this.endpoint.batch([{ method, params }]);
      if (result instanceof EndpointError && result.isMethodMissing) continue;
      const value = this.endpoint.required(result, method);
      this.cellMethod = method;
      return value === "0x0" || value === null ? undefined : this.read(method, () => dataOf(value));
    }
    this.cellMethod = null;
    // No stored value of the bridge consists of zeros only.
    const [word] = await this.endpoint.batch([{ method: "eth_getStorageAt", params }]);
    if (typeof word === "string" && /^0x0*$/.test(word)) return undefined;
    const reason = "the endpoint does not serve it, but it is needed to read the storage of the bridge";
    throw this.endpoint.failure(CELL_METHODS.join(" or "), reason);
  }

  /** Hash of the block of the forked chain with a number. */
  private async hashAt(number: number): Promise<Uint8Array | undefined> {
    if (number > this.fork.number) return undefined;
    if (number === this.fork.number) return this.fork.hash;
    const [hash] = await this.kept(`hash ${number}`, BYTE_STRINGS, async () => {
      const block = await this.endpoint.call("eth_getBlockByNumber", toQuantity(number), false);
      if (block === null) throw this.endpoint.failure("eth_getBlockByNumber", `block ${number} is unknown`);
      return [this.read("eth_getBlockByNumber", () => dataOf(asObject(block).hash, 32))];
    });
    return hash;
  }

  /** Undefined for a block that the endpoint does not know or that is not below the forked one. */
  private async parts(hash: Uint8Array): Promise<BlockParts | undefined> {
    const stored = await this.kept(`block ${toHex(hash)}`, BYTE_STRINGS, async () => {
      const { header, transactions, uncles, totalDifficulty } = (await this.fetchBlock(hash)) ?? {};
      if (header === undefined) return [];
      return [header, transactions!, uncles!, bigintToBytes(totalDifficulty!)];
    });
    const [header, transactions, uncles, totalDifficulty] = stored;
    if (header === undefined) return undefined;
    return {
      header,
      transactions: transactions!,
      uncles: uncles!,
      totalDifficulty: bytesToBigint(totalDifficulty!),
    };
  }

  private async fetchBlock(hash: Uint8Array): Promise<BlockParts | undefined> {
    const id = toData(hash);
    const calls = [{ method: "eth_getBlockByHash", params: [id, true] }];
    if (this.hasRawBlocks) calls.push({ method: "debug_getRawBlock", params: [id as never] });
    const [json, raw] = await this.endpoint.batch(calls);
    const object = this.endpoint.required(json, "eth_getBlockByHash");
    if (object === null) return undefined;
    if (raw instanceof EndpointError && raw.isMethodMissing) this.hasRawBlocks = false;
    const block = asObject(object);
    const totalDifficulty = this.read("eth_getBlockByHash", () => quantityOf(block.totalDifficulty ?? 0));
    if (this.read("eth_getBlockByHash", () => countOf(block.number)) > this.fork.number) return undefined;
    const whole =
      typeof raw === "string"
        ? this.read("debug_getRawBlock", () => Block.decode(dataOf(raw), this.network))
        : await this.blockOf(block);
    if (!equalBytes(whole.hash, hash)) {
      throw this.endpoint.failure("eth_getBlockByHash", `the answer is not the block with the hash ${id}`);
    }
    const [header, transactions, uncles] = blockItems(whole.encode());
    return { header: header.raw, transactions: transactions.raw, uncles: uncles.raw, totalDifficulty };
  }

  private async blockOf(block: Json): Promise<Block> {
    const uncles = await this.unclesOf(block);
    return this.read("eth_getBlockByHash", () => {
      const header = headerOf(block, this.network);
      const objects = listOf(block.transactions);
      const transactions = objects.map((one, i) => transactionOf(asObject(one), i === objects.length - 1));
      const whole = new Block(header, transactions, uncles);
      if (!equalBytes(whole.transactionsRoot(rulesAt(this.network, header.number)), header.transactionsRoot)) {
        throw new MalformedAnswer("the transactions of a block are not those of its header");
      }
      if (!equalBytes(unclesHash(uncles), header.unclesHash)) {
        throw new MalformedAnswer("the uncles of a block are not those of its header");
      }
      return whole;
    });
  }

  private async unclesOf(block: Json): Promise<BlockHeader[]> {
    if (equalBytes(dataOf(block.sha3Uncles, 32), EMPTY_UNCLES_HASH)) return [];
    const method = "eth_getUncleByBlockHashAndIndex";
    const calls = listOf(block.uncles).map((_, i) => ({ method, params: [block.hash, toQuantity(i)] }));
    const uncles = await this.endpoint.batch(calls);
    return uncles.map((uncle) =>
      this.read(method, () => headerOf(asObject(this.endpoint.required(uncle, method)), this.network)),
    );
  }

  private async receipts(hash: Uint8Array): Promise<Uint8Array | undefined> {
    const parts = await this.parts(hash);
    if (parts === undefined) return undefined;
    const [list] = await this.kept(`receipts ${toHex(hash)}`, BYTE_STRINGS, async () => [
      await this.fetchReceipts(toData(hash), parts),
    ]);
    return list;
  }

  private async fetchReceipts(id: string, parts: BlockParts): Promise<Uint8Array> {
    const block = Block.decode(encodeRlp([parts.header, parts.transactions, parts.uncles].map(raw)), this.network);
    const encoded = (await this.rawReceipts(id)) ?? (await this.receiptObjects(block));
    const rules = rulesAt(this.network, block.number);
    const root = receiptsRoot(encoded.map(decodeReceipt), rules);
    if (block.number > 0 && !equalBytes(root, block.header.receiptsRoot)) {
      throw this.endpoint.failure(
        "eth_getTransactionReceipt",
        `the receipts of block ${block.number} are not those of its header`,
      );
    }
    return encodeRlp(encoded.map(raw));
  }

  private async rawReceipts(id: string): Promise<Uint8Array[] | undefined> {
    if (!this.hasRawBlocks) return undefined;
    const method = "debug_getRawReceipts";
    const [found] = await this.endpoint.batch([{ method, params: [id] }]);
    if (!Array.isArray(found)) return undefined;
    return this.read(method, () => found.map((one) => dataOf(one)));
  }

  private async receiptObjects(block: Block): Promise<Uint8Array[]> {
    const method = "eth_getTransactionReceipt";
    const calls = block.transactions.map(({ hash }) => ({ method, params: [toData(hash)] }));
    const found = await this.endpoint.batch(calls);
    return found.map((one) =>
      this.read(method, () => encodeReceipt(receiptOf(asObject(this.endpoint.required(one, method))))),
    );
  }

  /** Position of a transaction, see {@link TABLES}; undefined if it is in no block up to the forked one. */
  private async position(hash: Uint8Array): Promise<Uint8Array | undefined> {
    const name = `transaction ${toHex(hash)}`;
    const known = this.cache.get(name);
    if (known !== undefined) return known;
    const found = await this.endpoint.call("eth_getTransactionByHash", toData(hash));
    if (found === null) return undefined;
    const { blockNumber, transactionIndex } = asObject(found);
    if (blockNumber === null || blockNumber === undefined) return undefined;
    return this.read("eth_getTransactionByHash", () => {
      const number = countOf(blockNumber);
      if (number > this.fork.number) return undefined;
      const position = new Uint8Array(12);
      writeNumber(position, 0, number);
      new DataView(position.buffer).setUint32(8, countOf(transactionIndex));
      this.cache.set(name, position);
      return position;
    });
  }

  private get rewardSender(): Uint8Array | undefined {
    const { number } = this.fork;
    return number === 0 ? undefined : encodeAccount({ nonce: BigInt(number), balance: 0n, flags: 0 });
  }

  private selector(): unknown {
    const { selector, hash, number } = this.fork;
    return selector === "hash" ? { blockHash: toData(hash) } : toQuantity(number);
  }

  /** A kept answer, or a new one, which is kept. */
  private async kept<T>(name: string, codec: Codec<T>, ask: () => Promise<T>): Promise<T> {
    const stored = this.cache.get(name);
    if (stored !== undefined) return codec.decode(stored);
    const answer = await ask();
    this.cache.set(name, codec.encode(answer));
    return answer;
  }

  /** Parses an answer. Any error means that the answer is invalid. */
  private read<T>(method: string, reading: () => T): T {
    try {
      return reading();
    } catch (error) {
      if (error instanceof ChainError) throw error;
      throw this.endpoint.failure(method, `the endpoint's answer is wrong: ${faultOf(error)}`);
    }
  }
}

interface FoundAccount {
  balance: bigint;
  nonce: bigint;
  code: Uint8Array;
  /** Whether EXTCODEHASH says that it exists. */
  isProbed: boolean;
}

interface Codec<T> {
  encode(value: T): Uint8Array;
  decode(bytes: Uint8Array): T;
}

const BYTE_STRINGS: Codec<readonly Uint8Array[]> = {
  encode: (values) => encodeRlp([...values]),
  decode: (bytes) => decodeRlpList(bytes).map((item) => item.bytes),
};

const LOGS: Codec<LogLocation[]> = {
  encode: (logs) => encodeRlp(logs.map(packedLog)),
  decode: (bytes) => decodeRlpList(bytes).map(({ items }) => unpackedLog(items.map((item) => item))),
};

function packedLog({ log, ...at }: LogLocation) {
  return [
    log.address,
    [...log.topics],
    log.data,
    at.blockHash,
    numberToBytes(at.blockNumber),
    bigintToBytes(at.blockTimestamp),
    at.transactionHash,
    numberToBytes(at.transactionIndex),
    numberToBytes(at.logIndex),
  ];
}

function unpackedLog(items: readonly { bytes: Uint8Array; items: readonly { bytes: Uint8Array }[] }[]): LogLocation {
  const number = (i: number) => Number(bytesToBigint(items[i]!.bytes));
  return {
    log: { address: items[0]!.bytes, topics: items[1]!.items.map(({ bytes }) => bytes), data: items[2]!.bytes },
    blockHash: items[3]!.bytes,
    blockNumber: number(4),
    blockTimestamp: bytesToBigint(items[5]!.bytes),
    transactionHash: items[6]!.bytes,
    transactionIndex: number(7),
    logIndex: number(8),
  };
}

function locatedLog(object: Json): LogLocation {
  return {
    log: logOf(object),
    blockHash: dataOf(object.blockHash, 32),
    blockNumber: countOf(object.blockNumber),
    blockTimestamp: object.blockTimestamp === undefined ? 0n : quantityOf(object.blockTimestamp),
    transactionHash: dataOf(object.transactionHash, 32),
    transactionIndex: countOf(object.transactionIndex),
    logIndex: countOf(object.logIndex),
  };
}

/** Code that returns the EXTCODEHASH of an account: not zero if the account exists, even if it is empty. */
function existenceProbe(address: Uint8Array): string {
  return `0x73${toHex(address)}3f60005260206000f3`;
}

function raw(bytes: Uint8Array): RawRlp {
  return new RawRlp(bytes);
}
