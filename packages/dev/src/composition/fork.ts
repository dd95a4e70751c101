import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { FACTS, TABLES } from "@cambium/chain-store";
import { type ForkOptions, forkedNetwork, loadNetwork, type NetworkConfig, networkJson } from "@cambium/config";
import { type Database, databasePath, makeFolder, openLevelDatabase } from "@cambium/database";
import { type ForkOrigin, forkSource, isEndpoint, remoteOrigin, storedOrigin } from "@cambium/fork";
import { shownUrl, toHex } from "@cambium/primitives";
import { ForkedState, KeyedStateView, openState } from "@cambium/state";
import { DevError, invalid } from "../errors.js";

/** Options of a fork. */
export interface ForkRequest extends ForkOptions {
  /** URL or folder. */
  source: string;
  /** Undefined: the best block. */
  number: number | undefined;
  /** Rules of the forked chain, if they are not those of a built-in network. */
  network: NetworkConfig | undefined;
  accounts: readonly Uint8Array[];
  /** Wei of each account. */
  balance: bigint;
  /** Folder for data read from endpoints; undefined: the default one. */
  cache: string | undefined;
  /** Folder in which the chain is kept; undefined for a temporary one. */
  dataDir: string | undefined;
  /** The database in the folder of the source, if this process has it open already. */
  database?: Database | undefined;
}

/** A fork that is about to start. */
export interface OpenFork {
  network: NetworkConfig;
  /** Forked database, to be closed last; undefined for an endpoint. */
  database: Database | undefined;
}

/**
 * Opens the source of a fork and chooses its block. A data folder continues its existing fork, without reading the
 * source. Rejects with `ChainError` `FORK_SOURCE`, `DatabaseError` or {@link DevError}.
 */
export async function openFork(request: ForkRequest): Promise<OpenFork> {
  const source = isEndpoint(request.source) ? request.source : resolve(request.source);
  const isRemote = isEndpoint(source);
  const database = isRemote ? undefined : (request.database ?? (await openLevelDatabase(databasePath(source))));
  try {
    const stored = await storedNetwork(request, source);
    if (stored !== undefined) return { network: stored, database };
    const cache = isRemote ? resolve(request.cache ?? join(homedir(), ".cambium", "forks")) : undefined;
    if (cache !== undefined) makeFolder(cache, PRIVATE);
    const bare = await withoutAccounts({ ...request, source, cache }, database);
    const network = { ...bare, fork: { ...bare.fork!, accounts: fundedAccounts(bare, request) } };
    if (cache !== undefined) removeOldForks(cache, toHex(network.fork.hash));
    // A reset must work without the endpoint, so read its data now.
    forkSource(network)!.block(TABLES.receipts, network.fork.hash);
    if (request.dataDir !== undefined) await keep(join(request.dataDir, FILE), network);
    return { network, database };
  } catch (error) {
    if (request.database === undefined) await database?.close();
    throw error;
  }
}

/** Mode of new folders: only their owner has access. */
const PRIVATE = 0o700;
/** Maximum number of forked blocks whose answers are kept. */
const MAX_FORKS = 16;

/** Removes the data of the forks that were unused for the longest time. Running forks request them again. */
function removeOldForks(cache: string, used: string): void {
  const folder = join(cache, used);
  makeFolder(folder, PRIVATE);
  const now = new Date();
  utimesSync(folder, now, now);
  const forks = readdirSync(cache).filter((name) => /^[0-9a-f]{64}$/.test(name));
  const times = new Map(forks.map((name) => [name, statSync(join(cache, name)).mtimeMs]));
  forks.sort((a, b) => times.get(b)! - times.get(a)!);
  for (const name of forks.slice(MAX_FORKS)) rmSync(join(cache, name), { recursive: true, force: true });
}

/** Name of a file in a data folder: the network of its fork, which other commands take as `--network`. */
const FILE = "network.json";

async function keep(path: string, network: NetworkConfig): Promise<void> {
  makeFolder(dirname(path), PRIVATE);
  // The file contains the URL of the endpoint, with the key.
  writeFileSync(path, `${JSON.stringify(await networkJson(network), undefined, 1)}\n`, { mode: 0o600 });
}

/** Rejects with {@link DevError} `FORK_FILE`. */
async function keptNetwork(path: string): Promise<NetworkConfig> {
  try {
    return await loadNetwork(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    throw new DevError({ code: "FORK_FILE", path, reason: (error as Error).message }, { cause: error });
  }
}

/** The network of the fork in a data folder; undefined if it is new. */
async function storedNetwork(request: ForkRequest, source: string): Promise<NetworkConfig | undefined> {
  const path = request.dataDir === undefined ? undefined : join(request.dataDir, FILE);
  if (path === undefined || !existsSync(path)) return undefined;
  const network = await keptNetwork(path);
  const { fork } = network;
  const isSame = fork?.source === source && (request.number ?? fork.number) === fork.number;
  if (isSame) return network;
  const kept = fork && `${shownUrl(fork.source)} at block ${fork.number}`;
  const expected = `${kept}, which the data folder contains, or another folder`;
  throw invalid("fork", request.source, expected);
}

/**
 * Returns the network of the fork before accounts are funded. An endpoint's answers about a block are kept, and not
 * requested again.
 */
async function withoutAccounts(request: ForkRequest, database: Database | undefined): Promise<NetworkConfig> {
  const { source, cache, number, network } = request;
  const path =
    cache === undefined || number === undefined || network !== undefined
      ? undefined
      : originPath(cache, source, number);
  if (path !== undefined && existsSync(path)) {
    const known = await keptNetwork(path).catch(() => undefined);
    if (known?.fork?.source === source && known.fork.number === number) {
      return forkedNetwork(known, { ...known.fork, ...(cache === undefined ? {} : { cache }) }, request);
    }
  }
  const { network: base, ...block } = await originOf(request, database);
  const fork = { source, chainId: base.chainId, ...block, accounts: [], ...(cache === undefined ? {} : { cache }) };
  const kept = cache === undefined || network !== undefined ? undefined : originPath(cache, source, block.number);
  if (kept !== undefined) await keep(kept, forkedNetwork(base, fork));
  return forkedNetwork(base, fork, request);
}

function originPath(cache: string, source: string, number: number): string {
  return join(
    cache,
    "origins",
    `${createHash("sha256").update(`${source} ${number}`).digest("hex").slice(0, 32)}.json`,
  );
}

async function originOf(request: ForkRequest, database: Database | undefined): Promise<ForkOrigin> {
  const { source, number, network } = request;
  if (database !== undefined) {
    const genesis = database.get(TABLES.facts, FACTS.genesis) ?? new Uint8Array(0);
    return storedOrigin(database, genesis, { source, number, network });
  }
  return remoteOrigin({ source, number, network });
}

/**
 * Returns the accounts with the nonces that they have in the forked chain: their keys are public, and have been used
 * there.
 */
function fundedAccounts(network: NetworkConfig, { accounts, balance }: ForkRequest) {
  const state = new KeyedStateView(new ForkedState(openState().state, forkSource(network)!));
  return accounts.map((address) => ({ address, balance, nonce: state.getNonce(address) }));
}
