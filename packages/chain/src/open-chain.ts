import {
  adoptWrites,
  BlockCache,
  type BlockHistoryOptions,
  ChainError,
  ChainStore,
  FACTS,
  type FlatStateOptions,
  type Genesis,
  type GenesisNodes,
  genesisStateWrites,
  layoutOf,
  READABLE_SCHEMAS,
  restoreGenesisState,
  SCHEMA_WRITE,
  type StateLayout,
  TABLES,
} from "@cambium/chain-store";
import type { ForkConfig, NetworkConfig } from "@cambium/config";
import { type Database, type KeyValueReader, numberKey, type Write } from "@cambium/database";
import type { Evm } from "@cambium/evm";
import { bigintToBytes, bytesToNumber, concatBytes, equalBytes } from "@cambium/primitives";
import { NodeCache, type NodeSink } from "@cambium/trie";
import type { Block, BlockHeader } from "@cambium/types";
import { createChainEvm } from "./execution/native-contracts.js";
import { buildGenesis } from "./genesis.js";
import { Chain, type ChainParts } from "./import/chain.js";
import type { ChainEvent } from "./interface.js";
import { consensusProfile, type ValidationProfile } from "./rules/validation.js";
import { StoredChainReader } from "./stored-chain-reader.js";

export interface ChainOptions {
  network: NetworkConfig;
  database: Database;
  /** Validation rules; by default all of them. */
  profile?: ValidationProfile;
  /** Builds block 0 if it is not the network's. */
  genesis?: (sink: NodeSink) => Genesis;
  evm?: Evm;
  /** Local time in seconds. */
  now?: () => number;
  /** Number of decoded state nodes to cache. */
  nodeCacheCapacity?: number;
  /** How an empty database will store states; another database must have this layout. */
  stateLayout?: StateLayout;
  /** Settings of the flat layout. */
  flatState?: FlatStateOptions;
  /** Range of the blocks that remain stored; by default all. */
  blockHistory?: BlockHistoryOptions;
  /** Called if a listener throws; the import continues. */
  onListenerError?: (error: unknown, event: ChainEvent) => void;
}

/** How a new database stores states, if the caller does not choose. */
const DEFAULT_LAYOUT: StateLayout = "flat";
/** Number of decoded state nodes in the cache; about 300 bytes each. */
const NODE_CACHE_CAPACITY = 250_000;
/** The same, for reads in the thread that imports. */
const READER_CACHE_CAPACITY = 50_000;

/**
 * Opens the chain in a database; an empty database gets the genesis block first. In the flat layout, this ends the
 * installation of a snapshot that is in progress. Rejects with {@link ChainError} `DATABASE_NETWORK`,
 * `DATABASE_SCHEMA`, `STATE_LAYOUT` or `DATABASE_DAMAGED`.
 */
export async function openChain(options: ChainOptions): Promise<Chain> {
  const chain = new Chain(await openParts(options));
  checkBestState(chain);
  return chain;
}

/** Opens the parts of an importing chain. Rejects as {@link openChain} does. */
export async function openParts(options: ChainOptions): Promise<ChainParts> {
  const { network, database } = options;
  const genesis = await prepareDatabase(options);
  requireLayout(options);
  if (lacksGenesisState(database, genesis)) await restoreGenesisState(database, genesisNodes(options));
  return {
    network,
    database,
    genesis,
    evm: options.evm ?? createChainEvm(network),
    blocks: new BlockCache(),
    nodes: new NodeCache(READER_CACHE_CAPACITY),
    importNodes: new NodeCache(options.nodeCacheCapacity ?? NODE_CACHE_CAPACITY),
    flatState: options.flatState ?? {},
    blockHistory: options.blockHistory ?? {},
    profile: options.profile ?? consensusProfile,
    now: options.now ?? (() => Date.now() / 1000),
    onListenerError: options.onListenerError ?? (() => undefined),
  };
}

/** Header of block 0; an empty database gets the genesis block first. Rejects as {@link openChain} does. */
export async function prepareDatabase(
  options: Pick<ChainOptions, "network" | "database" | "genesis" | "stateLayout">,
): Promise<BlockHeader> {
  const { database } = options;
  if (await isEmpty(database)) await database.write(genesisWrites(options));
  return checkedGenesis(database, options);
}

/**
 * Opens a reader of a database to which a chain writes, in this thread or another. Throws as {@link openChain} does.
 */
export function openReader(
  options: Pick<ChainOptions, "network" | "database" | "genesis" | "evm" | "nodeCacheCapacity">,
): StoredChainReader {
  const { network, database } = options;
  const genesis = checkedGenesis(database, options);
  return new StoredChainReader(database, {
    network,
    genesis,
    evm: options.evm ?? createChainEvm(network),
    blocks: new BlockCache(),
    nodes: new NodeCache(options.nodeCacheCapacity ?? NODE_CACHE_CAPACITY),
  });
}

/** A database with blocks but without facts is damaged: a new chain in it would hide that. */
async function isEmpty(database: Database): Promise<boolean> {
  if (database.get(TABLES.facts, FACTS.schema) !== undefined) return false;
  for await (const _ of database.entries(TABLES.headers)) return false;
  return true;
}

/** Whether the installation of a snapshot has replaced the state of genesis, and did not complete. */
function lacksGenesisState(database: Database, { hash }: BlockHeader): boolean {
  if (layoutOf(database) !== "flat" || database.get(TABLES.facts, FACTS.trieBlock) !== undefined) return false;
  const best = database.get(TABLES.facts, FACTS.best);
  return best !== undefined && equalBytes(best, hash);
}

/** Changes that store the genesis block in an empty database. */
export function genesisWrites(options: Pick<ChainOptions, "network" | "genesis" | "stateLayout">): Write[] {
  const genesis = genesisNodes(options);
  if (options.network.fork !== undefined) return forkWrites(options.network.fork, genesis);
  const { block, stateRoot } = genesis;
  const store = new ChainStore({ get: () => undefined }, options.network);
  const outcome = { stateRoot, totalDifficulty: block.header.difficultyValue };
  return [
    ...genesisStateWrites(genesis, options.stateLayout ?? DEFAULT_LAYOUT),
    ...store.blockWrites(block, [], outcome),
    ...adoptWrites(block),
    { table: TABLES.facts, key: FACTS.best, value: block.hash },
    { table: TABLES.facts, key: FACTS.genesis, value: block.hash },
    SCHEMA_WRITE,
  ];
}

/** Returns the first changes of a fork: the first block without its body, and the differences from its state. */
function forkWrites({ totalDifficulty }: ForkConfig, genesis: GenesisNodes): Write[] {
  const { block, stateRoot } = genesis;
  const { number, hash } = block;
  const value = concatBytes(stateRoot, bigintToBytes(totalDifficulty));
  return [
    ...genesisStateWrites(genesis, "archive"),
    { table: TABLES.headers, key: hash, value: block.header.encode("full") },
    { table: TABLES.outcomes, key: hash, value },
    { table: TABLES.siblings, key: numberKey(number), value: hash },
    { table: TABLES.bestChain, key: numberKey(number), value: hash },
    { table: TABLES.facts, key: FACTS.best, value: hash },
    { table: TABLES.facts, key: FACTS.genesis, value: hash },
    { table: TABLES.facts, key: FACTS.earliest, value: numberKey(number) },
    SCHEMA_WRITE,
  ];
}

function genesisNodes(options: Pick<ChainOptions, "network" | "genesis">): GenesisNodes {
  const nodes: { hash: Uint8Array; bytes: Uint8Array }[] = [];
  return { ...makeGenesis(options, { put: (hash, bytes) => nodes.push({ hash, bytes }) }), nodes };
}

function makeGenesis({ network, genesis }: Pick<ChainOptions, "network" | "genesis">, sink: NodeSink): Genesis {
  return genesis === undefined ? buildGenesis(network, sink) : genesis(sink);
}

/** Block 0 of networks whose database was opened, cached because a start opens it several times. */
const genesisBlocks = new WeakMap<NetworkConfig, Block>();

function expectedGenesis(options: Pick<ChainOptions, "network" | "genesis">): Block {
  const { network } = options;
  const known = options.genesis === undefined ? genesisBlocks.get(network) : undefined;
  const block = known ?? makeGenesis(options, { put: () => undefined }).block;
  if (options.genesis === undefined) genesisBlocks.set(network, block);
  return block;
}

/** Header of block 0, after checking the database's network and schema version. */
export function checkedGenesis(
  database: KeyValueReader,
  options: Pick<ChainOptions, "network" | "genesis">,
): BlockHeader {
  const stored = database.get(TABLES.facts, FACTS.schema);
  if (stored === undefined)
    throw new ChainError({ code: "DATABASE_DAMAGED", what: "schema version", key: FACTS.schema });
  const schema = bytesToNumber(stored);
  if (!READABLE_SCHEMAS.includes(schema)) {
    throw new ChainError({ code: "DATABASE_SCHEMA", supported: READABLE_SCHEMAS.at(-1)!, actual: schema });
  }
  const expected = expectedGenesis(options);
  const actual = database.get(TABLES.facts, FACTS.genesis);
  if (actual === undefined) throw new ChainError({ code: "DATABASE_DAMAGED", what: "genesis", key: FACTS.genesis });
  if (!equalBytes(expected.hash, actual)) {
    throw new ChainError({ code: "DATABASE_NETWORK", expected: expected.hash, actual });
  }
  return expected.header;
}

/** Throws {@link ChainError} `STATE_LAYOUT` if the database has a layout other than the requested one. */
function requireLayout({ database, stateLayout }: ChainOptions): void {
  const actual = layoutOf(database);
  if (stateLayout !== undefined && stateLayout !== actual) {
    throw new ChainError({ code: "STATE_LAYOUT", expected: stateLayout, actual });
  }
}

/** Throws {@link ChainError} `DATABASE_DAMAGED` if the state of the best block is missing (`spec/02 §5.4`). */
export function checkBestState(chain: Chain): void {
  const { hash } = chain.best();
  const state = chain.stateAfter(hash);
  if (state === undefined)
    throw new ChainError({ code: "DATABASE_DAMAGED", what: "state of the best block", key: hash });
}
