import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Chain, createChainEvm, executeBlock, executionProfile, localBlock, openChain } from "@cambium/chain";
import { ListThread } from "@cambium/chain/testing";
import { NETWORKS, rulesAt } from "@cambium/config";
import { type Database, openLevelDatabase } from "@cambium/database";
import { contractAddress, fromHex, keccak256, measurementFamilies, numberToBytes, utf8 } from "@cambium/primitives";
import { JournaledState } from "@cambium/state";
import {
  Block,
  BlockHeader,
  type HeaderFields,
  receiptsRoot,
  rewardTransaction,
  signTransaction,
  type Transaction,
  transactionsRoot,
} from "@cambium/types";

type Print = (name: string, value: number, unit: string) => void;

const network = NETWORKS.local;
/** Gas limits of blocks, and those that they give to each parallel list. */
const LIMITS: [number, number][] = [
  [10_000_000, 1_600_000],
  [20_400_000, 6_800_000],
];
const WARM_UP = 30;
const BLOCKS = 100;

/** Gas of a transaction of a list, and the code that it calls, with the transaction's number as input; undefined: a transfer. */
interface Load {
  gas: number;
  code?: string;
}

const LOADS: Record<string, Load> = {
  transfers: { gas: 21_000 },
  // Adds 1 to cells from 32 times the number on until little gas is left.
  cells: { gas: 500_000, code: "5f3560051b5b80546001018155600101615dc05a11600557" },
  // Loops until little gas is left.
  loops: { gas: 1_500_000, code: "5b6103e85a11600057" },
  // Hashes 4 KB again and again until little gas is left.
  hashes: { gas: 1_500_000, code: "5b6110005f205f526107d05a11600057" },
};

const key = (name: string) => keccak256(utf8(name));
const addressOf = (name: string) => signTransaction({ nonce: 0n, gasPrice: 0n, gasLimit: 0n }, key(name)).sender!;

function deploying(runtime: string): Uint8Array {
  const length = (runtime.length / 2).toString(16).padStart(2, "0");
  return fromHex(`60${length}600c60003960${length}6000f3${runtime}`);
}

/** A chain on disk, with the lists in two threads or one after the other. */
class Imports {
  milliseconds = 0;

  private constructor(
    readonly chain: Chain,
    private readonly thread: ListThread | undefined,
    private readonly folder: string,
  ) {}

  static async open(inThreads: boolean): Promise<Imports> {
    const folder = mkdtempSync(join(tmpdir(), "cambium-lists-bench-"));
    const database: Database = await openLevelDatabase(folder, { create: true });
    const listExecutor = inThreads ? new ListThread({ network, location: folder, minTime: 3 }) : undefined;
    const chain = await openChain({ network, database, profile: executionProfile, listExecutor });
    return new Imports(chain, listExecutor, folder);
  }

  async import(block: Block, isMeasured: boolean): Promise<void> {
    if (this.thread?.takes(block) === false) {
      await this.thread.opened();
      await nextTurn();
    }
    const start = performance.now();
    const result = await this.chain.import(localBlock(block));
    if (result.kind !== "imported-best") throw new Error(JSON.stringify(result, (_, value) => String(value)));
    if (isMeasured) this.milliseconds += performance.now() - start;
  }

  async close(): Promise<void> {
    await this.chain.close();
    await this.thread?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Blocks so far of which a thread has executed a list. */
function sharedBlocks(): number {
  const family = measurementFamilies().find(({ name }) => name === "cambium_block_shared_executions_total");
  return family?.series.find(({ labels }) => labels.result === "taken")?.values()[0] ?? 0;
}

/** A block of two equal lists. */
function blockOn(chain: Chain, gasLimit: number, lists: readonly (readonly Transaction[])[]): Block {
  const parent = chain.best().header;
  const number = parent.number + 1;
  const rules = rulesAt(network, number);
  const transactions = [...lists.flat(), rewardTransaction(number)];
  const fields: HeaderFields = {
    ...parent.fields(),
    parentHash: parent.hash,
    number,
    difficulty: 1n,
    gasLimit: numberToBytes(gasLimit),
    transactionsRoot: transactionsRoot(transactions, rules),
    executionEdges: lists.map((_, i) => lists.slice(0, i + 1).flat().length),
    ummRoot: new Uint8Array(0),
    baseEvent: new Uint8Array(0),
    version: 2,
    parentChainHeader: new Uint8Array(80),
    merkleProof: new Uint8Array(64),
    parentChainCoinbase: new Uint8Array(100),
  };
  const draft = new Block(BlockHeader.create(fields, network), transactions, []);
  const state = new JournaledState(chain.stateAfter(parent.hash)!);
  const evm = createChainEvm(network);
  const ancestors = chain.ancestors(parent.hash);
  const { receipts, gasUsed, paidFees, logsBloom } = executeBlock({ block: draft, state, evm, network, ancestors });
  const results = { receiptsRoot: receiptsRoot(receipts, rules), stateRoot: state.commit().root };
  const header = BlockHeader.create({ ...fields, ...results, gasUsed, paidFees, logsBloom }, network);
  return new Block(header, transactions, []);
}

async function compare(
  name: string,
  { gas, code }: Load,
  [blockGas, listGas]: [number, number],
  print: Print,
): Promise<void> {
  const both = [await Imports.open(true), await Imports.open(false)];
  const nonces = [0n, 0n];
  const sign = (list: number, own: { to?: Uint8Array; data?: Uint8Array; gasLimit: bigint }) =>
    signTransaction({ nonce: nonces[list]!++, gasPrice: 0n, value: 0n, ...own }, key(`cow${list}`));
  let gasUsed = 0;
  const importBoth = async (block: Block, isMeasured: boolean) => {
    // In turn, so that what else the machine does concerns both.
    for (const imports of block.number % 2 === 0 ? both : both.toReversed()) await imports.import(block, isMeasured);
    if (isMeasured) gasUsed += block.header.gasUsed;
  };
  const lists = [0, 1];
  let shared = 0;
  if (code !== undefined) {
    const deployments = lists.map((list) => [sign(list, { data: deploying(code), gasLimit: 400_000n })]);
    await importBoth(blockOn(both[0]!.chain, blockGas, deployments), false);
  }
  const count = Math.floor(listGas / gas);
  for (let i = 0; i < WARM_UP + BLOCKS; i++) {
    if (i === WARM_UP) shared = sharedBlocks();
    const made = lists.map((list) =>
      Array.from({ length: count }, (_, j) => {
        const number = (i * count + j) % 2 ** 16;
        const other = new Uint8Array(20).fill(0x80 + list);
        other.set(numberToBytes(number + 2 ** 20), 4);
        const to = code === undefined ? other : contractAddress(addressOf(`cow${list}`), 0n);
        const data = new Uint8Array(32);
        new DataView(data.buffer).setUint32(28, number);
        return sign(list, { to, data: code === undefined ? undefined : data, gasLimit: BigInt(gas) });
      }),
    );
    await importBoth(blockOn(both[0]!.chain, blockGas, made), i >= WARM_UP);
  }
  const [threads, inTurn] = both.map(({ milliseconds }) => milliseconds / BLOCKS) as [number, number];
  print(`${name}, used by a block`, gasUsed / BLOCKS / 1e6, "Mgas");
  print(`${name}, blocks in two threads`, (100 * (sharedBlocks() - shared)) / BLOCKS, "%");
  print(`${name}, lists one after the other`, inTurn, "ms/block");
  print(`${name}, lists in two threads`, threads, "ms/block");
  print(`${name}, time in two threads`, threads / inTurn, "of that in turn");
  for (const imports of both) await imports.close();
}

/** Import of blocks of two parallel lists that have nearly all gas that they can have, with the lists in two threads and one after the other. */
export async function run(print: Print): Promise<void> {
  for (const limits of LIMITS) {
    for (const [name, load] of Object.entries(LOADS))
      await compare(`${name}, ${limits[1] / 1e6} Mgas a list`, load, limits, print);
  }
}
