import type { MessagePort } from "node:worker_threads";
import type { SyncStatus } from "@cambium/api";
import type { PlainChainEvent } from "@cambium/chain";
import type { NetworkConfig } from "@cambium/config";
import type { Work } from "@cambium/miner";
import type { RpcConfig, ServingChanges } from "../config.js";
import type { SharedCountsMemory } from "../connections/connection-counts.js";
import type { ListeningAddress } from "../http/listener.js";
import type { KeyedClient } from "../keys/keyed-client.js";
import type { TextAnswer } from "../requests/interface.js";
import type { UsageRow } from "../usage/usage-table.js";

/** Start-up data of a reader thread. */
export interface ReaderThreadData {
  network: NetworkConfig;
  /** Directory of the chain's database. */
  location: string;
  /** Configuration with the thread's share of the limits on bytes. */
  config: RpcConfig;
  clientVersion: string;
  /** Whether {@link ReaderMethods.announceWork} is called. */
  hasWork: boolean;
  /** Number of the thread, from 0. */
  thread: number;
  counts: SharedCountsMemory;
  /** Whether the methods are those of a replica. */
  isReplica: boolean;
  /** Flag shared by all threads: 1 if lines of the level debug are logged, otherwise 0. */
  logsDebug: Int32Array;
  /** Port that receives {@link FromMain} and sends {@link ToMain}. */
  port: MessagePort;
}

/** An open listener, whose descriptor other threads can duplicate while it is open. */
export interface OpenListener extends ListeningAddress {
  fd: number;
}

/** Transactions as plain data. */
export interface PlainTransactions {
  encoded: Uint8Array[];
  /** Known signers, packed. */
  senders: Uint8Array;
}

export interface ReaderMethods {
  /** Starts listening, on the socket with a descriptor of this process, or at the configured address. */
  listen(fd: number | undefined): Promise<OpenListener>;
  announce(event: PlainChainEvent): void;
  announcePending(transactions: PlainTransactions): void;
  announceSync(status: SyncStatus): void;
  change(changes: ServingChanges): void;
  announceWork(work: Work): void;
}

/** Messages from a reader to the main thread. Answers carry the same `id`. */
export type ToMain =
  | { kind: "request"; id: number; text: string; client: KeyedClient | undefined }
  /** The client of a request has disconnected. */
  | { kind: "gone"; id: number }
  /** Counts requests of an identity in a window of the rate limit. */
  | { kind: "count"; id: number; identity: string; requests: number; window: number }
  /** Usage of API keys. */
  | { kind: "usage"; rows: UsageRow[] }
  | { kind: "log"; level: "debug" | "info" | "warn" | "error"; details: object; message: string };

export type FromMain =
  | { kind: "answer"; id: number; answer: TextAnswer }
  | { kind: "counted"; id: number; sum: number };
