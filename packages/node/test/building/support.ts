import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { prepareDatabase, ThreadedChain } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { databasePath, openLevelDatabase } from "@cambium/database";
import { LocalMiner } from "@cambium/miner";
import { type Clock, fromHex, keccak256, toHex, utf8 } from "@cambium/primitives";
import { signTransaction, type Transaction, type TransactionRequest } from "@cambium/types";
import { BuildingClient, type BuildingClientOptions } from "../../src/building/building-client.js";
import { ThreadedBuilder } from "../../src/building/threaded-builder.js";

const network = NETWORKS.local;

/** Signs a transfer of an account that the local genesis funds; tests change the relevant fields. */
export function transfer(name: string, own: Partial<TransactionRequest> = {}): Transaction {
  const plain = { nonce: 0n, gasPrice: 1n, gasLimit: 21_000n, to: new Uint8Array(20).fill(7), value: 1n };
  return signTransaction({ ...plain, ...own }, keccak256(utf8(name)));
}

/** A contract creation that computes powers until it is out of gas: takes at least some milliseconds. */
export function slowCreation(name: string): Transaction {
  return transfer(name, { to: undefined, data: fromHex("5b5f195f190a505f56"), gasLimit: 6_000_000n, gasPrice: 5n });
}

/** A pool with the given transactions; a change is a new list. */
export class ListPool {
  transactions: readonly Transaction[] = [];
  readonly evicted: string[] = [];
  /** Reason for each eviction. */
  readonly reasons: string[] = [];

  ordered(): readonly Transaction[] {
    return this.transactions;
  }

  evict(hashes: readonly Uint8Array[], reason: string): void {
    for (const hash of hashes.map(toHex)) {
      this.evicted.push(hash);
      this.reasons.push(reason);
      this.transactions = this.transactions.filter((transaction) => toHex(transaction.hash) !== hash);
    }
  }

  clear(): void {
    this.transactions = [];
  }
}

export interface BuildingSettings {
  clock?: Clock;
  /** Folder in which the thread looks for the chain. */
  location?: string;
  /** Milliseconds for one transaction. */
  transactionTime?: number;
}

export interface Building {
  chain: ThreadedChain;
  pool: ListPool;
  client: BuildingClient;
  emptyClient: BuildingClient;
  /** Number of answers of the first thread that came too late. */
  lateAnswers: { count: number };
  builder: ThreadedBuilder;
  miner: LocalMiner;
  /** Errors with which threads ended, or for which they were replaced. */
  failures: Error[];
  options: BuildingClientOptions;
}

/** Runs an action with a chain on disk and a thread that builds on it. */
export async function withBuilding(
  action: (building: Building) => Promise<void>,
  own: BuildingSettings = {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "cambium-building-"));
  const location = databasePath(folder);
  const database = await openLevelDatabase(location, { create: true });
  await prepareDatabase({ network, database });
  const chain = await ThreadedChain.open({ network, location, isOpen: true });
  const pool = new ListPool();
  const failures: Error[] = [];
  const rewardAddress = new Uint8Array(20).fill(3);
  const options: BuildingClientOptions = {
    name: "test",
    data: {
      network,
      location: own.location ?? location,
      nodeCacheCapacity: 1000,
      options: {
        ...{ identity: "TEST", rewardAddress, minimumGasPrice: 0n, timeBudget: 60_000 },
        ...(own.transactionTime === undefined ? {} : { transactionTime: own.transactionTime }),
      },
    },
    onFailure: (error) => failures.push(error),
    onSlow: ({ hash }) => pool.evict([hash], "slow"),
    clock: own.clock,
  };
  const client = new BuildingClient(options);
  const emptyClient = new BuildingClient({ ...options, name: "empty test", clock: undefined });
  const lateAnswers = { count: 0 };
  const builder = new ThreadedBuilder({
    ...{ chain, pool, client, emptyClient },
    onLateAnswer: () => lateAnswers.count++,
  });
  const miner = new LocalMiner({ chain, builder, pool }, { kind: "on-demand" });
  try {
    await action({ chain, pool, client, emptyClient, lateAnswers, builder, miner, failures, options });
  } finally {
    await client.close();
    await emptyClient.close();
    await chain.close();
    await database.close();
    rmSync(folder, { recursive: true });
  }
}

/** Ends a client's thread like a crash. */
export async function crash(client: BuildingClient): Promise<void> {
  const running = Reflect.get(client, "running");
  await (Reflect.get(running.client, "worker") as Worker).terminate();
}
