import { ChainError } from "@cambium/chain-store";
import { type ForkConfig, isForDevelopment, local, NETWORKS, type NetworkConfig } from "@cambium/config";
import type { Database } from "@cambium/database";
import { equalBytes, shownUrl, toData, toQuantity } from "@cambium/primitives";
import { buildGenesisState } from "@cambium/state";
import { Block, type BlockHeader, genesisBlock } from "@cambium/types";
import { asObject, countOf, dataOf, faultOf, headerOf, type Json, MalformedAnswer, quantityOf } from "./block-json.js";
import { JsonRpcEndpoint } from "./json-rpc-endpoint.js";
import { StoredSource } from "./stored-source.js";

/** The block at which a fork begins, and the network of its chain. */
export interface ForkOrigin extends Pick<ForkConfig, "number" | "hash" | "header" | "totalDifficulty" | "selector"> {
  network: NetworkConfig;
}

export interface OriginRequest {
  /** URL or folder. */
  source: string;
  /** Number of the block; undefined: the best one. */
  number: number | undefined;
  /** Rules of the forked chain; undefined: those of the built-in network with its genesis block. */
  network: NetworkConfig | undefined;
}

/** Requests the origin from an endpoint. Rejects with {@link ChainError} `FORK_SOURCE`. */
export async function remoteOrigin({ source, number, network }: OriginRequest): Promise<ForkOrigin> {
  const endpoint = new JsonRpcEndpoint(source);
  const [chainId, first, best] = await endpoint.batch([
    { method: "eth_chainId", params: [] },
    { method: "eth_getBlockByNumber", params: ["0x0", false] },
    { method: "eth_blockNumber", params: [] },
  ]);
  return reading(endpoint, "eth_getBlockByNumber", async () => {
    const genesis = asObject(endpoint.required(first, "eth_getBlockByNumber"));
    const id = countOf(endpoint.required(chainId, "eth_chainId"));
    const base = network ?? knownNetwork(dataOf(genesis.hash, 32), id, source);
    const highest = countOf(endpoint.required(best, "eth_blockNumber"));
    const chosen = number ?? highest;
    if (chosen > highest)
      throw new MalformedAnswer(`block ${chosen} is unknown: the best block of the endpoint is ${highest}`);
    const header = await remoteHeader(endpoint, chosen, base);
    return { ...header, network: base, selector: await selectorOf(endpoint, header) };
  });
}

async function remoteHeader(endpoint: JsonRpcEndpoint, number: number, network: NetworkConfig) {
  const at = toQuantity(number);
  const [found, raw] = await endpoint.batch([
    { method: "eth_getBlockByNumber", params: [at, false] },
    { method: "debug_getRawBlock", params: [at] },
  ]);
  const json = endpoint.required(found, "eth_getBlockByNumber");
  if (json === null) throw new MalformedAnswer(`block ${number} is unknown`);
  const block = asObject(json);
  const header = typeof raw === "string" ? Block.decode(dataOf(raw), network).header : headerOf(block, network);
  return { ...described(header), totalDifficulty: quantityOf(block.totalDifficulty ?? 0), ...sameHash(header, block) };
}

/** Compares the hashes. The block can change between two requests, or its header have unknown fields. */
function sameHash(header: BlockHeader, block: Json): { hash: Uint8Array } {
  const hash = dataOf(block.hash, 32);
  if (!equalBytes(hash, header.hash)) throw new MalformedAnswer("the header does not have the hash of its block");
  return { hash };
}

function described(header: BlockHeader) {
  return { number: header.number, header: header.encode("full") };
}

/** Whether the endpoint reads states by block hash (EIP-1898). */
async function selectorOf(
  endpoint: JsonRpcEndpoint,
  { number, hash }: { number: number; hash: Uint8Array },
): Promise<ForkConfig["selector"]> {
  const params = (selector: unknown) => [`0x${"00".repeat(20)}`, selector];
  const [byHash, byNumber] = await endpoint.batch([
    { method: "eth_getBalance", params: params({ blockHash: toData(hash) }) },
    { method: "eth_getBalance", params: params(toQuantity(number)) },
  ]);
  if (typeof byHash === "string") return "hash";
  // The endpoint may say, for example, that it has no states of old blocks.
  endpoint.required(byNumber, `eth_getBalance at block ${number}`);
  return "number";
}

async function reading<T>(endpoint: JsonRpcEndpoint, method: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ChainError) throw error;
    throw endpoint.failure(method, faultOf(error));
  }
}

/** Reads the origin from the database of a stopped node. Throws {@link ChainError} `FORK_SOURCE`. */
export function storedOrigin(database: Database, genesis: Uint8Array, request: OriginRequest): ForkOrigin {
  const { source, number } = request;
  const network = request.network ?? knownNetwork(genesis, undefined, source);
  const stored = new StoredSource(database, network, source);
  const { store } = stored;
  const hash = number === undefined ? store.bestHash() : store.hashAt(number);
  const header = hash && stored.header(hash);
  if (header === undefined) throw stored.failure("block", `block ${number} is unknown: ${bestOf(stored)}`);
  if (stored.stateAfter(header.hash) === undefined) {
    const reason = `the state of block ${header.number} is not stored; an archive stores all, and others the newest ones`;
    throw stored.failure("block", reason);
  }
  const { totalDifficulty } = store.outcome(header.hash)!;
  return { ...described(header), hash: header.hash, totalDifficulty, network, selector: "hash" };
}

function bestOf({ store }: StoredSource): string {
  const hash = store.bestHash();
  const header = hash && store.header(hash);
  return header === undefined ? "there is no best block" : `the best block is ${header.number}`;
}

/** Returns the built-in network with a genesis block. Other development chains have the rules of `local`. */
function knownNetwork(genesis: Uint8Array, chainId: number | undefined, source: string): NetworkConfig {
  for (const network of Object.values(NETWORKS)) {
    if (equalBytes(genesisBlock(network, buildGenesisState(network).root).hash, genesis)) return network;
  }
  if (chainId !== undefined && isForDevelopment({ ...local, chainId })) return { ...local, chainId };
  const id = chainId === undefined ? "" : ` (chain id ${chainId})`;
  const reason = `its genesis block is that of no built-in network${id}; --fork.network says which rules it has`;
  throw new ChainError({ code: "FORK_SOURCE", source: shownUrl(source), what: "network", reason });
}
