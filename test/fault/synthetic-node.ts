import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { random } from "@cambium/test-utils/random";
import { id } from "ethers";

type Json = ReturnType<typeof JSON.parse>;

interface SyntheticBlock {
  number: number;
  hash: string;
  parentHash: string;
}

/** Interval of blocks whose logs fill several messages. */
const LARGE_EVERY = 150;
const LARGE_LOGS = 24;
const LARGE_DATA = 15_000;
/** Maximum number of blocks by which the chain grows between two queries for the best one, until there are enough. */
const MAX_GROWTH = 120;
const ENOUGH = 700;
const MAX_DEPTH = 30;

/**
 * JSON-RPC of a synthetic chain: blocks have the members that feeds read, and follow from a seed. The chain grows and
 * reorganises with each query for the best block, until it is frozen.
 */
export class SyntheticNode {
  private readonly blocks: SyntheticBlock[] = [];
  private readonly next: () => number;
  private readonly awaited = new Map<string, { count: number; resolve: () => void }>();
  private isFrozen = false;

  private constructor(
    private readonly server: Server,
    seed: number,
  ) {
    this.next = random(seed);
    this.grow(100);
    server.on("request", async (request, response) => {
      this.count(request.url!);
      const calls: { id: number; method: string; params: Json[] }[] = JSON.parse(await text(request));
      const answers = calls.map(({ id, method, params }) => ({
        jsonrpc: "2.0",
        id,
        result: this.answer(method, params),
      }));
      response.end(JSON.stringify(answers));
    });
  }

  static async start(seed: number): Promise<SyntheticNode> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new SyntheticNode(server, seed);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Resolves when a client has sent this number of requests from now on; `path` is that of its URL. */
  requested(path: string, count: number): Promise<void> {
    return new Promise((resolve) => this.awaited.set(path, { count, resolve }));
  }

  /** Hashes of the best chain. */
  get hashes(): string[] {
    return this.blocks.map(({ hash }) => hash);
  }

  /** Reorganises the chain once more, and ends all changes. */
  freeze(): void {
    this.replace(MAX_DEPTH);
    this.isFrozen = true;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }

  private count(path: string): void {
    const awaited = this.awaited.get(path);
    if (awaited !== undefined && --awaited.count <= 0) awaited.resolve();
  }

  private grow(count: number): void {
    for (let i = 0; i < count; i++) {
      const number = this.blocks.length;
      const parentHash = this.blocks.at(-1)?.hash ?? `0x${"00".repeat(32)}`;
      this.blocks.push({ number, hash: id(`${number} ${parentHash} ${this.next()}`), parentHash });
    }
  }

  private change(): void {
    if (this.isFrozen) return;
    const depth = this.next() < 0.2 ? 1 + Math.floor(this.next() * MAX_DEPTH) : 0;
    this.replace(depth);
    this.grow(this.blocks.length < ENOUGH ? Math.floor(this.next() * MAX_GROWTH) : 1);
  }

  private replace(depth: number): void {
    this.blocks.length -= depth;
    this.grow(depth);
  }

  private answer(method: string, [at]: Json[]): Json {
    if (method === "eth_chainId") return "0x21";
    if (at === "latest") this.change();
    const block = at === "latest" ? this.blocks.at(-1)! : this.blocks[Number(at)];
    if (block === undefined) return null;
    if (method === "eth_getBlockByNumber") return blockObject(block);
    if (method === "eth_getBlockReceipts") return receiptsOf(block);
    return tracesOf(block);
  }
}

function transactionCount({ number, hash }: SyntheticBlock): number {
  return number === 0 ? 0 : 1 + (Number.parseInt(hash.slice(2, 4), 16) % 4);
}

function indexes(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`;
}

function addressOf(hash: string): string {
  return `0x${hash.slice(-40)}`;
}

function blockObject(block: SyntheticBlock): Json {
  const { number, hash, parentHash } = block;
  return {
    ...{ number: quantity(number), hash, parentHash, timestamp: quantity(1_700_000_000 + 30 * number), uncles: [] },
    ...{ miner: addressOf(hash), difficulty: "0x1", totalDifficulty: quantity(number + 1), size: "0x100" },
    ...{ gasLimit: "0x67c280", gasUsed: "0x5208", minimumGasPrice: "0x1", paidFees: null, extraData: "0x" },
    ...{ stateRoot: hash, transactionsRoot: hash, receiptsRoot: hash },
    transactions: indexes(transactionCount(block)).map((i) => ({
      ...{ hash: id(hash + i), from: addressOf(hash), to: addressOf(parentHash), nonce: quantity(i), type: "0x0" },
      ...{ value: "0xde0b6b3a7640000", gas: "0x5208", gasPrice: "0x1", input: "0x12345678" },
    })),
  };
}

function receiptsOf(block: SyntheticBlock): Json[] {
  const { number, hash } = block;
  let logIndex = 0;
  return indexes(transactionCount(block)).map((i) => {
    const position = { blockHash: hash, transactionHash: id(hash + i), transactionIndex: quantity(i) };
    const isLarge = i === 0 && number % LARGE_EVERY === 0;
    const logs = indexes(isLarge ? LARGE_LOGS : i).map(() => ({
      ...{ ...position, logIndex: quantity(logIndex++), address: addressOf(hash), topics: [hash] },
      data: `0x${"ab".repeat(isLarge ? LARGE_DATA : 32)}`,
    }));
    return { ...position, contractAddress: null, gasUsed: "0x5208", status: "0x1", logs };
  });
}

function tracesOf(block: SyntheticBlock): Json[] {
  return indexes(transactionCount(block)).map((i) => ({
    ...{
      blockHash: block.hash,
      transactionHash: id(block.hash + i),
      transactionPosition: i,
      type: "call",
      traceAddress: [],
    },
    action: {
      callType: "call",
      from: addressOf(block.hash),
      to: addressOf(block.parentHash),
      gas: "0x0",
      input: "0x",
      value: "0x1",
    },
    result: { gasUsed: "0x0", output: "0x" },
  }));
}
