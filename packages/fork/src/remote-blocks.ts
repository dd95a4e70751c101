import { rulesAt } from "@cambium/config";
import { writeNumber } from "@cambium/database";
import {
  bigintToBytes,
  bytesToBigint,
  encodeRlp,
  equalBytes,
  RawRlp,
  toData,
  toHex,
  toQuantity,
} from "@cambium/primitives";
import {
  Block,
  type BlockHeader,
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
  headerOf,
  type Json,
  listOf,
  MalformedAnswer,
  quantityOf,
  receiptOf,
  transactionOf,
} from "./block-json.js";
import { EndpointError } from "./json-rpc-endpoint.js";
import { BYTE_STRINGS, type RemoteSource } from "./remote-source.js";

/** The parts of a block in the form of `chain-store`'s tables. */
export interface BlockParts {
  header: Uint8Array;
  transactions: Uint8Array;
  uncles: Uint8Array;
  totalDifficulty: bigint;
}

/** Blocks of a source up to that of the fork, verified by their hashes and roots. */
export class RemoteBlocks {
  private hasRawBlocks = true;

  constructor(private readonly source: RemoteSource) {}

  /** Returns the hash of the forked chain's block with a number. */
  async hashAt(number: number): Promise<Uint8Array | undefined> {
    if (number > this.source.fork.number) return undefined;
    if (number === this.source.fork.number) return this.source.fork.hash;
    const [hash] = await this.source.kept(`hash ${number}`, BYTE_STRINGS, async () => {
      const block = await this.source.endpoint.call("eth_getBlockByNumber", toQuantity(number), false);
      if (block === null) throw this.source.endpoint.failure("eth_getBlockByNumber", `block ${number} is unknown`);
      return [this.source.read("eth_getBlockByNumber", () => dataOf(asObject(block).hash, 32))];
    });
    return hash;
  }

  /**
   * Returns the parts of a block. Undefined if the endpoint does not know it, or if it is not below the forked block.
   */
  async parts(hash: Uint8Array): Promise<BlockParts | undefined> {
    const stored = await this.source.kept(`block ${toHex(hash)}`, BYTE_STRINGS, async () => {
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
    const [json, raw] = await this.source.endpoint.batch(calls);
    const object = this.source.endpoint.required(json, "eth_getBlockByHash");
    if (object === null) return undefined;
    if (raw instanceof EndpointError && raw.isMethodMissing) this.hasRawBlocks = false;
    const block = asObject(object);
    const totalDifficulty = this.source.read("eth_getBlockByHash", () => quantityOf(block.totalDifficulty ?? 0));
    if (this.source.read("eth_getBlockByHash", () => countOf(block.number)) > this.source.fork.number) return undefined;
    const whole =
      typeof raw === "string"
        ? this.source.read("debug_getRawBlock", () => Block.decode(dataOf(raw), this.source.network))
        : await this.blockOf(block);
    if (!equalBytes(whole.hash, hash)) {
      throw this.source.endpoint.failure("eth_getBlockByHash", `the answer is not the block with the hash ${id}`);
    }
    const [header, transactions, uncles] = blockItems(whole.encode());
    return { header: header.raw, transactions: transactions.raw, uncles: uncles.raw, totalDifficulty };
  }

  private async blockOf(block: Json): Promise<Block> {
    const uncles = await this.unclesOf(block);
    return this.source.read("eth_getBlockByHash", () => {
      const header = headerOf(block, this.source.network);
      const objects = listOf(block.transactions);
      const transactions = objects.map((one, i) => transactionOf(asObject(one), i === objects.length - 1));
      const whole = new Block(header, transactions, uncles);
      if (!equalBytes(whole.transactionsRoot(rulesAt(this.source.network, header.number)), header.transactionsRoot)) {
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
    const uncles = await this.source.endpoint.batch(calls);
    return uncles.map((uncle) =>
      this.source.read(method, () =>
        headerOf(asObject(this.source.endpoint.required(uncle, method)), this.source.network),
      ),
    );
  }

  /** Returns the receipts of a block; undefined in the same cases as {@link parts}. */
  async receipts(hash: Uint8Array): Promise<Uint8Array | undefined> {
    const parts = await this.parts(hash);
    if (parts === undefined) return undefined;
    const [list] = await this.source.kept(`receipts ${toHex(hash)}`, BYTE_STRINGS, async () => [
      await this.fetchReceipts(toData(hash), parts),
    ]);
    return list;
  }

  private async fetchReceipts(id: string, parts: BlockParts): Promise<Uint8Array> {
    const block = Block.decode(
      encodeRlp([parts.header, parts.transactions, parts.uncles].map(raw)),
      this.source.network,
    );
    const encoded = (await this.rawReceipts(id)) ?? (await this.receiptObjects(block));
    const rules = rulesAt(this.source.network, block.number);
    const root = receiptsRoot(encoded.map(decodeReceipt), rules);
    if (block.number > 0 && !equalBytes(root, block.header.receiptsRoot)) {
      throw this.source.endpoint.failure(
        "eth_getTransactionReceipt",
        `the receipts of block ${block.number} are not those of its header`,
      );
    }
    return encodeRlp(encoded.map(raw));
  }

  private async rawReceipts(id: string): Promise<Uint8Array[] | undefined> {
    if (!this.hasRawBlocks) return undefined;
    const method = "debug_getRawReceipts";
    const [found] = await this.source.endpoint.batch([{ method, params: [id] }]);
    if (!Array.isArray(found)) return undefined;
    return this.source.read(method, () => found.map((one) => dataOf(one)));
  }

  private async receiptObjects(block: Block): Promise<Uint8Array[]> {
    const method = "eth_getTransactionReceipt";
    const calls = block.transactions.map(({ hash }) => ({ method, params: [toData(hash)] }));
    const found = await this.source.endpoint.batch(calls);
    return found.map((one) =>
      this.source.read(method, () => encodeReceipt(receiptOf(asObject(this.source.endpoint.required(one, method))))),
    );
  }

  /** Returns the position of a transaction, see {@link TABLES}; undefined if no block up to the forked one has it. */
  async position(hash: Uint8Array): Promise<Uint8Array | undefined> {
    const name = `transaction ${toHex(hash)}`;
    const known = this.source.cache.get(name);
    if (known !== undefined) return known;
    const found = await this.source.endpoint.call("eth_getTransactionByHash", toData(hash));
    if (found === null) return undefined;
    const { blockNumber, transactionIndex } = asObject(found);
    if (blockNumber === null || blockNumber === undefined) return undefined;
    return this.source.read("eth_getTransactionByHash", () => {
      const number = countOf(blockNumber);
      if (number > this.source.fork.number) return undefined;
      const position = new Uint8Array(12);
      writeNumber(position, 0, number);
      new DataView(position.buffer).setUint32(8, countOf(transactionIndex));
      this.source.cache.set(name, position);
      return position;
    });
  }
}

function raw(bytes: Uint8Array): RawRlp {
  return new RawRlp(bytes);
}
