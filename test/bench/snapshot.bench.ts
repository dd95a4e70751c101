import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createChainEvm, executeBlock, openChain, openReader, SnapshotInstaller, SnapshotServer } from "@cambium/chain";
import { adoptWrites, ChainStore, FACTS, TABLES } from "@cambium/chain-store";
import { NETWORKS, rulesAt } from "@cambium/config";
import { type Database, openLevelDatabase, type Write } from "@cambium/database";
import { keccak256, numberToBytes, utf8 } from "@cambium/primitives";
import { JournaledState, openState, type TrieState } from "@cambium/state";
import { NodeCache, type NodeReader, STATE_CHUNK_BYTES, verifyStateChunk } from "@cambium/trie";
import { Block, BlockHeader, EMPTY_UNCLES_HASH, signTransaction, transactionsRoot } from "@cambium/types";

type Print = (name: string, value: number, unit: string) => void;

const network = NETWORKS.local;
const ACCOUNTS = 1_000_000;
/** Number of accounts added to the state at a time. */
const BATCH = 50_000;
/** Number of transfers to execute; their rate is compared with that of installing accounts. */
const TRANSFERS = 100_000;
const TRANSFERS_PER_BLOCK = 300;

function addressOf(index: number): Uint8Array {
  return keccak256(numberToBytes(index + 1)).slice(12);
}

/** Writes a chain whose best block has a state of `ACCOUNTS` accounts. Nothing is executed. */
async function writeOrigin(database: Database): Promise<Block> {
  const { genesis } = await openChain({ network, database, stateLayout: "archive" });
  const store = new ChainStore(database, network);
  const cache = new NodeCache();
  const genesisOutcome = store.outcome(genesis.hash)!;
  let root = genesisOutcome.stateRoot;
  for (let from = 0; from < ACCOUNTS; from += BATCH) {
    const state = new JournaledState(openState(nodesOf(database), root, cache));
    for (let index = from; index < from + BATCH; index++) state.addBalance(addressOf(index), BigInt(index + 1));
    root = await stored(database, state);
  }
  const block = blockWith(root, genesis);
  const outcome = { stateRoot: root, totalDifficulty: genesisOutcome.totalDifficulty + 1n };
  await database.write([
    ...store.blockWrites(block, [], outcome),
    ...adoptWrites(block),
    { table: TABLES.facts, key: FACTS.best, value: block.hash },
  ]);
  return block;
}

function nodesOf(database: Database): NodeReader {
  return { get: (hash) => database.get(TABLES.stateNodes, hash) };
}

async function stored(database: Database, state: JournaledState<TrieState>): Promise<Uint8Array> {
  const writes: Write[] = [];
  const { root, state: after } = state.commit();
  after.save({ put: (key, value) => writes.push({ table: TABLES.stateNodes, key, value }) });
  await database.write(writes);
  return root;
}

function blockWith(stateRoot: Uint8Array, parent: BlockHeader, transactions: Block["transactions"] = []): Block {
  const number = parent.number + 1;
  const header = BlockHeader.create(
    {
      parentHash: parent.hash,
      unclesHash: EMPTY_UNCLES_HASH,
      coinbase: new Uint8Array(20).fill(0x99),
      stateRoot,
      transactionsRoot: transactionsRoot(transactions, rulesAt(network, number)),
      receiptsRoot: new Uint8Array(32),
      logsBloom: new Uint8Array(256),
      difficulty: 1n,
      number,
      gasLimit: numberToBytes(100_000_000),
      gasUsed: 0,
      timestamp: BigInt(1_600_000_000 + number),
      extraData: new Uint8Array(0),
      paidFees: 0n,
      minimumGasPrice: 0n,
      uncleCount: 0,
      ummRoot: new Uint8Array(0),
      version: 2,
      executionEdges: [],
      baseEvent: new Uint8Array(0),
      parentChainHeader: new Uint8Array(80).fill(3),
      merkleProof: new Uint8Array(64).fill(4),
      parentChainCoinbase: new Uint8Array(100).fill(5),
    },
    network,
  );
  return new Block(header, transactions, []);
}

/** The best block is a checkpoint. */
const SERVING = { interval: 1, depth: 0, blocks: 1, chunkBytes: STATE_CHUNK_BYTES };

/** Installs from a server in this process to a database on disk, without a network in between. */
async function install(origin: Database, block: Block, folder: string, print: Print): Promise<number> {
  const server = new SnapshotServer(openReader({ network, database: origin }), SERVING);
  const database = await openLevelDatabase(folder, { create: true });
  const installer = await SnapshotInstaller.open({ network, database });
  await installer.begin(block, openReader({ network, database: origin }).best().totalDifficulty);
  let chunks = 0;
  let serving = 0;
  let verifying = 0;
  const started = performance.now();
  for (let from = installer.progress!.nextChunk; from !== undefined; from = installer.progress!.nextChunk) {
    const asked = performance.now();
    const chunk = server.chunk(1, from)!;
    const served = performance.now();
    const verified = verifyStateChunk(chunk, installer.stateRoot);
    verifying += performance.now() - served;
    serving += served - asked;
    await installer.saveChunk(verified, chunk.to);
    chunks++;
  }
  const size = installer.progress!.stateSize;
  await installer.finish();
  const seconds = (performance.now() - started - serving) / 1000;
  await database.close();
  print(`serving the state of ${ACCOUNTS} accounts, ${chunks} chunks`, serving / chunks, "ms/chunk");
  print("verifying it", verifying / chunks, "ms/chunk");
  print("verifying and installing it", seconds, "s");
  print("verifying and installing it", size / seconds / 1e6, "MB/s");
  return ACCOUNTS / seconds;
}

/** Transfers to new accounts, block by block, to disk: senders recovered, executed, hashed and stored. */
async function execute(folder: string, print: Print): Promise<number> {
  const database = await openLevelDatabase(folder, { create: true });
  const { genesis } = await openChain({ network, database, stateLayout: "archive" });
  const store = new ChainStore(database, network);
  const evm = createChainEvm(network);
  const cache = new NodeCache();
  const ancestors = { hash: () => undefined, header: () => undefined, uncles: () => undefined };
  let root = store.outcome(genesis.hash)!.stateRoot;
  let parent = genesis;
  let milliseconds = 0;
  for (let done = 0; done < TRANSFERS; done += TRANSFERS_PER_BLOCK) {
    // The transaction is encoded and decoded, because a signed object already knows its sender.
    const made = blockWith(root, parent, transfers(done));
    const block = Block.decode(made.encode(), network);
    const started = performance.now();
    const state = new JournaledState(openState(nodesOf(database), root, cache));
    executeBlock({ block, state, evm, network, ancestors: { ...ancestors, totalDifficulty: () => undefined } });
    root = await stored(database, state);
    milliseconds += performance.now() - started;
    parent = block.header;
  }
  await database.close();
  const perSecond = (TRANSFERS * 1000) / milliseconds;
  print(`executing ${TRANSFERS} transfers to new accounts`, perSecond, "accounts/s");
  return perSecond;
}

function transfers(from: number): Block["transactions"] {
  const key = keccak256(utf8("cow"));
  return Array.from({ length: TRANSFERS_PER_BLOCK }, (_, i) => {
    const [nonce, to] = [BigInt(from + i), addressOf(from + i)];
    return signTransaction({ nonce, gasPrice: 0n, gasLimit: 21_000n, to, value: 1n }, key);
  });
}

/** Compares installing a state of a million accounts with creating accounts by executing transfers. */
export async function run(print: Print): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "cambium-snapshot-bench-"));
  try {
    const origin = await openLevelDatabase(join(folder, "origin"), { create: true });
    const block = await writeOrigin(origin);
    const installed = await install(origin, block, join(folder, "installed"), print);
    await origin.close();
    print("verifying and installing it", installed, "accounts/s");
    const executed = await execute(join(folder, "executed"), print);
    print("installing against executing", installed / executed, "times as fast");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
