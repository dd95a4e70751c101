import assert from "node:assert/strict";
import { AccountsError } from "@cambium/accounts";
import { ChainError } from "@cambium/chain";
import { DatabaseError } from "@cambium/database";
import { MinerError } from "@cambium/miner";
import { NetworkingError } from "@cambium/networking";
import { NodeError } from "@cambium/node";
import { RpcServerError } from "@cambium/rpc";
import { TxPoolError } from "@cambium/txpool";
import { explain } from "../src/explain.js";
import { startError } from "../src/start-errors.js";

const TAKEN = "listen EADDRINUSE: address already in use 127.0.0.1:4444";
const USED = "another program uses 127.0.0.1:4444;";
const NO_ADDRESS = "listen EADDRNOTAVAIL: address not available 192.0.2.7";
const FULL = "IO error: data/chain/000001.dbtmp: No space left on device";
const DENIED = "EACCES: permission denied";
const LISTENER = { host: "127.0.0.1", port: 4444, reason: TAKEN };

const REPAIR = `"node-cli db repair --network=main --data-dir 'my data'"`;

/** Failures of a start, and texts that the line must contain besides the data of the error. */
const FAILURES: [name: string, error: Error, expected: string[]][] = [
  [
    "a port for JSON-RPC that is in use",
    new RpcServerError({ code: "LISTEN_FAILED", ...LISTENER }),
    ["JSON-RPC", USED, "--http.port", "--ws.port"],
  ],
  [
    "a port for metrics that is in use",
    new NodeError({ code: "METRICS_LISTEN", ...LISTENER }),
    ["metrics", USED, "--metrics.port"],
  ],
  [
    "a snapshot that is not finished",
    new NodeError({ code: "SNAPSHOT_UNFINISHED", block: 5000 }),
    ["block 5000", "--sync.mode snapshot", "--sync.checkpoint", "--sync.mode full"],
  ],
  [
    "a port for peers that is in use",
    new NetworkingError({ code: "LISTEN_FAILED", address: "/ip4/127.0.0.1/tcp/4444", reason: TAKEN }),
    ["peers", USED, "--p2p.port", "--p2p.rlpx-port", "--p2p.host"],
  ],
  [
    "an address for JSON-RPC that this machine does not have",
    new RpcServerError({ code: "LISTEN_FAILED", host: "192.0.2.7", port: 4444, reason: NO_ADDRESS }),
    ["JSON-RPC", "this machine does not have the address 192.0.2.7", "--http.host"],
  ],
  [
    "a name for metrics that has no address",
    new NodeError({ code: "METRICS_LISTEN", host: "nowhere", port: 1, reason: "getaddrinfo ENOTFOUND nowhere" }),
    ["metrics", "the name nowhere has no address", "--metrics.host"],
  ],
  [
    "an address for peers that this machine does not have",
    new NetworkingError({
      code: "LISTEN_FAILED",
      address: "/ip4/192.0.2.7/tcp/30333",
      reason: `/ip4/192.0.2.7/tcp/30333: Error: ${NO_ADDRESS}:30333`,
    }),
    ["peers", "this machine does not have the address 192.0.2.7;", "--p2p.host"],
  ],
  [
    "a port that needs privileges",
    new RpcServerError({
      code: "LISTEN_FAILED",
      host: "::",
      port: 80,
      reason: "listen EACCES: permission denied :::80",
    }),
    ["[::]:80", "permission denied", "1024", "--http.port"],
  ],
  [
    "a database on a full disk",
    new DatabaseError({ code: "DATABASE_OPEN", location: "data/chain", reason: FULL }),
    ["data/chain", "the disk is full; free some space"],
  ],
  [
    "a file that cannot be written",
    new ChainError({
      code: "BLOCK_FILE",
      file: "no/blocks.txt",
      afterLine: undefined,
      reason: "ENOENT: no such file or directory, open 'no/blocks.txt'",
    }),
    ["cannot write no/blocks.txt: there is no such file or folder; choose another path"],
  ],
  [
    "a database that cannot be written",
    new DatabaseError({ code: "DATABASE_WRITE", reason: `Error: ${FULL}` }),
    ["cannot write the database: the disk is full; check the disk"],
  ],
  [
    "published state of another chain",
    new ChainError({
      code: "HISTORY_MISMATCH",
      number: 9,
      hash: { expected: Uint8Array.of(1), actual: Uint8Array.of(2) },
      totalDifficulty: { expected: 5n, least: 5n, most: 5n },
    }),
    ["block 9 below it is 0x02, expected 0x01; delete the data directory, and start from another source"],
  ],
  [
    "published state with another total difficulty",
    new ChainError({
      code: "HISTORY_MISMATCH",
      number: 9,
      hash: undefined,
      totalDifficulty: { expected: 5n, least: 1n, most: 4n },
    }),
    ["it gives block 9 a total difficulty from 1 to 4, expected 5; delete"],
  ],
  ["a full disk", new Error(FULL), ["data/chain/000001.dbtmp", "the disk is full; free some space"]],
  [
    "a path that a file obstructs",
    Object.assign(new Error("EEXIST: file already exists, mkdir 'data'"), { path: "data" }),
    ["cannot use data: it, or a part of its path, is a file; choose another path"],
  ],
  [
    "an invalid boot node",
    new NetworkingError({ code: "INVALID_OPTION", option: "bootNodes", reason: "foo does not end in /p2p/<peer id>" }),
    ["--p2p.bootnodes", "foo does not end in /p2p/<peer id>"],
  ],
  [
    "a setting of JSON-RPC",
    new RpcServerError({
      code: "INVALID_CONFIGURATION",
      option: "rateLimit.redis",
      reason: "cannot load the package ioredis",
    }),
    ["rateLimit.redis", "cannot load the package ioredis"],
  ],
  [
    "an unreadable key of the peer id",
    new NetworkingError({ code: "KEY_FILE", path: "data/network/node-key", reason: "expected 64 hex digits" }),
    ["data/network/node-key", "expected 64 hex digits", "restore the file", "peer id"],
  ],
  [
    "an unreadable journal",
    new TxPoolError({ code: "JOURNAL_FILE", path: "data/transactions.journal", reason: DENIED }),
    ["local transactions", "data/transactions.journal: permission denied;", "permissions"],
  ],
  [
    "an unreadable key folder",
    new AccountsError({ code: "KEY_FOLDER", folder: "data/keystore", reason: DENIED }),
    ["data/keystore: permission denied;", "--no-wallet"],
  ],
  [
    "an invalid option of the miner",
    new MinerError({ code: "OPTION", option: "rewardAddress", reason: "expected 20 bytes" }),
    ["rewardAddress", "expected 20 bytes"],
  ],
  [
    "a damaged database",
    new ChainError({ code: "DATABASE_DAMAGED", what: "state of the best block", key: Uint8Array.of(0xab, 0xcd) }),
    ["state of the best block", "0xabcd", REPAIR],
  ],
  [
    "a database with a damaged file",
    new DatabaseError({ code: "DATABASE_FILES", location: "data/chain", file: "000005.ldb", reason: "it is missing" }),
    ["data/chain", "000005.ldb: it is missing", REPAIR],
  ],
];

describe("errors of a start", () => {
  for (const [name, error, expected] of FAILURES) {
    it(`explains ${name} in one line`, async () => {
      const line = await explain(startError(error), ["start", "--network=main", "--mine", "--data-dir", "my data"]);
      assert.doesNotMatch(line, /\n|[A-Z]+_[A-Z]+/);
      for (const part of expected) assert(line.includes(part), `"${part}" is not in: ${line}`);
    });
  }

  it("leaves other errors as they are", () => {
    const error = new TypeError("unexpected");
    assert.equal(startError(error), error);
  });

  it("name only flags that the command has", async () => {
    const taken = new RpcServerError({ code: "LISTEN_FAILED", host: "127.0.0.1", port: 4444, reason: TAKEN });
    const line = await explain(startError(taken, "another port with --http.port"), ["dev"]);
    assert.match(line, /choose another port with --http\.port$/);
  });
});
