import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { developmentKeys, KeyStore } from "@cambium/accounts";
import type { SyncStatus, SyncStatusSource } from "@cambium/api";
import { type Chain, createChainEvm, localBlock, openChain } from "@cambium/chain";
import { type GenesisAccount, NETWORKS, type NetworkConfig } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { BlockBuilder, LocalMiner, MinerServer, solutionOfPartialMerkle, solvedBlock } from "@cambium/miner";
import { mineParentBlock } from "@cambium/miner/client";
import { openPeerScoring, type RunningPeerScoring } from "@cambium/networking";
import { contractAddress } from "@cambium/primitives";
import { createRpcServer, DEFAULT_RPC_CONFIG, type RpcConfig, type RpcServer } from "@cambium/rpc";
import { type PoolOptions, TransactionPool } from "@cambium/txpool";
import { Block, signTransaction, type Transaction, type TransactionRequest } from "@cambium/types";
import { ALL_MODULES } from "../rpc-modules.js";
import { SILENT } from "../silent-logger.js";
import { creationOf, LOGGER } from "./code.js";

/** The properties of a node that a case requires; all others are defaults. */
export interface Situation {
  network?: NetworkConfig;
  /** Additional accounts in the genesis state. */
  accounts?: readonly GenesisAccount[];
  minimumGasPrice?: bigint;
  /** Whether the node holds keys: the development keys, and one for each of these seeds. */
  wallet?: boolean;
  seeds?: readonly string[];
  /** Whether the node mines or provides work. */
  mining?: boolean;
  pool?: Partial<PoolOptions>;
  sync?: SyncStatus;
  config?: Partial<RpcConfig>;
}

/** All modules enabled; listeners use any free port. */
const CONFIG: RpcConfig = {
  ...DEFAULT_RPC_CONFIG,
  modules: ALL_MODULES,
  finality: false,
  compatibility: "specification",
  http: { ...DEFAULT_RPC_CONFIG.http, port: 0, closeTimeout: 200 },
  ws: { ...DEFAULT_RPC_CONFIG.ws, port: 0 },
};

const CLIENT_VERSION = "Cambium/0.1.0/linux/node20/RELEASE-1a2b3c4";

/** The connected peer. */
export const PEER = { id: "16Uiu2HAmLfvubv44LXp75BbG1Z15q6ZADKAzt3WXHFG6DrbFzKk2", ip: "192.0.2.1", port: 5050 };

/** A parent-chain proof of work for a local network is found immediately. */
const NEVER = new AbortController().signal;

const [SENDER] = developmentKeys() as [ReturnType<typeof developmentKeys>[number]];

/** A node over a chain in memory, with all modules. */
export class World {
  readonly pool: TransactionPool;
  readonly server: RpcServer;
  readonly scoring: RunningPeerScoring;
  readonly sender = SENDER.address;
  private readonly folder = mkdtempSync(join(tmpdir(), "conformance-"));
  private readonly syncListeners = new Set<(status: SyncStatus) => void>();
  private readonly miner: MinerServer;
  private nonce = 0n;
  private nextId = 1;

  private constructor(
    readonly chain: Chain,
    readonly config: RpcConfig,
    situation: Situation,
  ) {
    const { network } = chain;
    this.pool = new TransactionPool(
      { chain, evm: createChainEvm(network), now: () => Date.now() / 1000 },
      { rateLimit: false, ...situation.pool },
    );
    const builder = this.builder();
    this.miner = new MinerServer({ chain, builder });
    const bans = { bannedPeers: [], bannedAddresses: [] };
    this.scoring = openPeerScoring({ folder: this.folder, now: Date.now, ...bans });
    const { wallet = true, seeds = [], mining = true } = situation;
    this.server = createRpcServer({
      chain,
      events: chain,
      pool: this.pool,
      miner: mining ? this.miner : undefined,
      localMiner: mining && network.chainId === NETWORKS.local.chainId ? this.localMiner(builder) : undefined,
      accounts: wallet ? keysInMemory([SENDER.seed, ...seeds]) : undefined,
      peers: { isListening: () => true, list: () => [`${PEER.id} | ${PEER.ip}:${PEER.port}`] },
      scoring: this.scoring,
      sync: this.syncSource(situation.sync ?? false),
      config,
      clientVersion: CLIENT_VERSION,
      logger: SILENT,
    });
  }

  private localMiner(builder: BlockBuilder): LocalMiner {
    const pool = { ordered: () => this.pool.ordered(), clear() {} };
    return new LocalMiner({ chain: this.chain, builder, pool }, { kind: "on-demand" });
  }

  private syncSource(status: SyncStatus): SyncStatusSource {
    const listeners = this.syncListeners;
    return {
      status: () => status,
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
  }

  static async open(situation: Situation = {}): Promise<World> {
    const network = networkOf(situation);
    const chain = await openChain({ network, database: new MemoryDatabase() });
    return new World(chain, { ...CONFIG, ...situation.config }, situation);
  }

  private builder(transactions?: readonly Transaction[]): BlockBuilder {
    const { chain, pool } = this;
    const source = transactions === undefined ? pool : { ordered: () => transactions, evict() {} };
    const minimumGasPrice = () => chain.genesis.minimumGasPrice ?? 0n;
    return new BlockBuilder(
      { chain, pool: source },
      { rewardAddress: SENDER.address, identity: "", minimumGasPrice, timeBudget: 60_000 },
    );
  }

  /** The sender's next transaction; by default a plain transfer. */
  sign(own: Partial<TransactionRequest> = {}): Transaction {
    const { chainId } = this.chain.network;
    const plain = { gasPrice: this.gasPrice, gasLimit: 200_000n, to: NEIGHBOUR, value: 1n, chainId };
    return signTransaction({ ...plain, nonce: this.nonce++, ...own }, SENDER.privateKey);
  }

  /** Makes the next transaction one that can be mined, whichever ones wait in the pool. */
  skipWaiting(): void {
    this.nonce = this.chain.stateAfter(this.chain.best().hash)!.getNonce(this.sender);
  }

  /** A creation of a contract that logs, and its address. */
  signLogger(): { creation: Transaction; address: Uint8Array } {
    const address = contractAddress(SENDER.address, this.nonce);
    return { creation: this.sign({ to: undefined, value: 0n, data: creationOf(LOGGER) }), address };
  }

  private get gasPrice(): bigint {
    return this.chain.genesis.minimumGasPrice || 1n;
  }

  /** Mines a block with these transactions, on the best block or on another one, with real proof of work. */
  async mine(transactions: readonly Transaction[] = [], parentHash?: Uint8Array, adjustment = 0): Promise<Block> {
    const template = this.builder(transactions).build({ parentHash, adjustment });
    const parentBlock = await mineParentBlock(template.hashForMergedMining, template.target, 0, NEVER);
    const { header, transactions: coinbases, ids } = parentBlock;
    const solution = solutionOfPartialMerkle({
      header,
      coinbase: coinbases[0]!,
      merkleHashes: ids,
      transactionCount: 1,
    });
    const block = Block.decode(solvedBlock(template, solution, this.chain.network).encode(), this.chain.network);
    const result = await this.chain.import(localBlock(block));
    if (result.kind === "imported-best" || result.kind === "imported-side") return block;
    throw new Error(`the block of the situation is ${result.kind}`);
  }

  tellSync(status: SyncStatus): void {
    for (const listener of this.syncListeners) listener(status);
  }

  /** Starts providing work. */
  async startMiner(): Promise<void> {
    await this.miner.start();
  }

  /** Resolves to the response to a request, without a listener. */
  async ask(method: string, params: readonly unknown[]): Promise<Answer> {
    return (await this.server.handle({ jsonrpc: "2.0", id: this.nextId++, method, params })) as Answer;
  }

  /** The result of a request that belongs to the situation. */
  async result(method: string, ...params: unknown[]): Promise<unknown> {
    const { result, error } = await this.ask(method, params);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  async close(): Promise<void> {
    this.miner.stop();
    await this.server.close();
    this.pool.close();
    this.scoring.close();
    rmSync(this.folder, { recursive: true });
    await this.chain.close();
  }
}

export interface RpcFault {
  code: number;
  message: string;
  data?: unknown;
}

export interface Answer {
  result?: unknown;
  error?: RpcFault;
}

/** An account without code. */
export const NEIGHBOUR = new Uint8Array(20).fill(0xaa);

/** Runs `use` in a new world. */
export async function inWorld<T>(situation: Situation, use: (world: World) => Promise<T>): Promise<T> {
  const world = await World.open(situation);
  try {
    return await use(world);
  } finally {
    await world.close();
  }
}

function networkOf({ network = NETWORKS.local!, accounts = [], minimumGasPrice }: Situation): NetworkConfig {
  const { genesis } = network;
  return {
    ...network,
    genesis: {
      ...genesis,
      accounts: [...genesis.accounts, ...accounts],
      minimumGasPrice: minimumGasPrice ?? genesis.minimumGasPrice,
    },
  };
}

function keysInMemory(seeds: readonly string[]): KeyStore {
  const store = new KeyStore({ folder: join(tmpdir(), "cambium-conformance-without-key-files") });
  for (const seed of seeds) store.addSeed(seed);
  return store;
}
