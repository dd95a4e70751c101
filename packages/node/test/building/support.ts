import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { databasePath, openThreadedChain, prepareDatabase, type ThreadedChain } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { openLevelDatabase } from "@cambium/database";
import { LocalMiner } from "@cambium/miner";
import { keccak256, toHex, utf8 } from "@cambium/primitives";
import { signTransaction, type Transaction, type TransactionRequest } from "@cambium/types";
import { BuildingClient, type BuildingClientOptions } from "../../src/building/building-client.js";
import { ThreadedBuilder } from "../../src/building/threaded-builder.js";

const network = NETWORKS.local;

/** A transfer of an account that the local genesis funds; a test changes the fields that it is about. */
export function transfer(name: string, own: Partial<TransactionRequest> = {}): Transaction {
  const plain = { nonce: 0n, gasPrice: 1n, gasLimit: 21_000n, to: new Uint8Array(20).fill(7), value: 1n };
  return signTransaction({ ...plain, ...own }, keccak256(utf8(name)));
}

/** A pool with the given transactions; a change is a new list. */
export class ListPool {
  transactions: readonly Transaction[] = [];
  readonly evicted: string[] = [];

  ordered(): readonly Transaction[] {
    return this.transactions;
  }

  evict(hashes: readonly Uint8Array[]): void {
    this.evicted.push(...hashes.map(toHex));
  }

  clear(): void {
    this.transactions = [];
  }
}

export interface Building {
  chain: ThreadedChain;
  pool: ListPool;
  client: BuildingClient;
  builder: ThreadedBuilder;
  miner: LocalMiner;
  /** Errors with which threads ended. */
  failures: Error[];
  options: BuildingClientOptions;
}

/** Runs an action with a chain on disk and a thread that builds on it. */
export async function withBuilding(
  action: (building: Building) => Promise<void>,
  own: { now?: () => number /** Where the thread looks for the chain. */; location?: string } = {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "cambium-building-"));
  const location = databasePath(folder);
  const database = await openLevelDatabase(location, { create: true });
  await prepareDatabase({ network, database });
  const chain = await openThreadedChain({ network, location, isOpen: true });
  const pool = new ListPool();
  const failures: Error[] = [];
  const rewardAddress = new Uint8Array(20).fill(3);
  const options: BuildingClientOptions = {
    name: "test",
    data: {
      network,
      location: own.location ?? location,
      nodeCacheCapacity: 1000,
      options: { identity: "TEST", rewardAddress, minimumGasPrice: 0n, timeBudget: 60_000 },
    },
    onFailure: (error) => failures.push(error),
    now: own.now,
  };
  const client = new BuildingClient(options);
  const builder = new ThreadedBuilder({ chain, pool, client });
  const miner = new LocalMiner({ chain, builder, pool }, { kind: "on-demand" });
  try {
    await action({ chain, pool, client, builder, miner, failures, options });
  } finally {
    await client.close();
    await chain.close();
    await database.close();
    rmSync(folder, { recursive: true });
  }
}

/** Ends a client's thread as a crash would. */
export async function crash(client: BuildingClient): Promise<void> {
  const running = Reflect.get(client, "running");
  await (Reflect.get(running.client, "worker") as Worker).terminate();
}
