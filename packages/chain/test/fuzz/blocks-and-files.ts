import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { checkDatabase, importFiles, readBlockFile } from "@cambium/chain-maintenance";
import { ChainError, progressWrite, readProgress, type SnapshotProgress, TABLES } from "@cambium/chain-store";
import { loadNetwork, type NetworkConfig } from "@cambium/config";
import { type KeyValueReader, MemoryDatabase, type Write } from "@cambium/database";
import { CambiumError, concatBytes, keccak256, toHex } from "@cambium/primitives";
import {
  assertSameBytes,
  decoding,
  type FuzzTarget,
  fileOf,
  jsonTexts,
  textOf,
  texts,
} from "@cambium/test-utils/fuzz-target";
import { chainOfThree, copyOf, NOW, network } from "@cambium/test-utils/mined-chains";
import { Block } from "@cambium/types";
import { type Chain, openChain } from "../../src/index.js";

const KINDS = ["imported-best", "imported-side", "already-known", "missing-parent", "invalid"];

const blocks = async () => {
  const chain = await chainOfThree();
  return [1, 2, 3].map((number) => chain.blockByNumber(number)!.encode());
};

/** A chain that lacks the last two blocks. */
let target: Promise<Chain> | undefined;
const shorter = () => (target ??= chainOfThree().then((chain) => copyOf(chain, 1)));

async function lines(): Promise<string> {
  const encoded = await blocks();
  return encoded.map((bytes, i) => `${i + 1},${toHex(keccak256(bytes))},0a,${toHex(bytes)}\n`).join("");
}

let stored: Promise<Write[]> | undefined;

/** All entries of a database with the blocks. */
async function entries(): Promise<Write[]> {
  const database = new MemoryDatabase();
  await copyOf(await chainOfThree(), 3, await openChain({ network, database, now: () => NOW }));
  const found: Write[] = [];
  for (const table of Object.values(TABLES)) {
    for await (const { key, value } of database.entries(table)) found.push({ table, key, value });
  }
  return found;
}

/** Returns a database with one changed entry, which the first byte selects. */
async function damaged(input: Uint8Array): Promise<MemoryDatabase> {
  const writes = await (stored ??= entries());
  const damage = { ...writes[(input[0] ?? 0) % writes.length]!, value: input.subarray(1) };
  const database = new MemoryDatabase();
  await database.write([...writes, damage]);
  return database;
}

const ACCOUNT = {
  address: `0x${"11".repeat(20)}`,
  balance: "5",
  nonce: "1",
  code: "0x00",
  storage: [{ slot: `0x${"00".repeat(32)}`, value: "0x01" }],
};
const PROGRESS: SnapshotProgress = {
  checkpoint: { number: 5000, hash: keccak256(Uint8Array.of(1)), totalDifficulty: 1n << 70n },
  headers: { number: 4000, hash: keccak256(Uint8Array.of(2)) },
  nextChunk: 51_200,
  position: 51_100,
  nextEnd: 51_300,
  stateSize: 1_000_000,
  earliest: { number: 5000, hash: keccak256(Uint8Array.of(1)), totalDifficulty: 1n << 70n },
};

export const targets: Readonly<Record<string, FuzzTarget>> = {
  /** Imports any bytes as a block from a peer: the import must answer. */
  import: {
    share: 4,
    seeds: blocks,
    async run(input) {
      const chain = await shorter();
      const { kind } = await chain.import({ bytes: input, source: "gossip" });
      assert(KINDS.includes(kind));
    },
  },
  "block-file": {
    seeds: async () => [...texts(await lines(), "1,00,0a,c0\r\n"), gzipSync(await lines())],
    async run(input) {
      try {
        for await (const line of readBlockFile(fileOf(input, "blocks.txt"))) {
          assert("entry" in line || line.fault.code === "BLOCK_FILE_LINE");
        }
      } catch (error) {
        if (!(error instanceof CambiumError)) throw error;
      }
    },
  },
  "import-file": {
    seeds: async () => texts(await lines()),
    async run(input) {
      try {
        const summary = await importFiles(await shorter(), [fileOf(input, "import.txt")]);
        assert(summary.rejectedCount >= summary.rejected.length);
      } catch (error) {
        if (!(error instanceof CambiumError)) throw error;
      }
    },
  },
  "database-entry": {
    share: 3,
    seeds: async () =>
      (await (stored ??= entries())).map(({ value }, i) => concatBytes(Uint8Array.of(i), value!)).slice(0, 256),
    async run(input) {
      try {
        // Rejects if the facts cannot be read.
        await checkDatabase(await damaged(input), network, { deep: true });
        const chain = await openChain({ network, database: await damaged(input), now: () => NOW });
        for (let number = 0; number <= 3; number++) chain.blockByNumber(number)?.encode();
      } catch (error) {
        if (!(error instanceof CambiumError)) throw error;
      }
    },
  },
  "snapshot-progress": decoding({
    seeds: () => [PROGRESS, { ...PROGRESS, nextChunk: undefined }].map((progress) => progressWrite(progress).value!),
    decode: (input) => readProgress({ get: () => input } as unknown as KeyValueReader)!,
    refusals: [ChainError],
    check: (progress, input) => assertSameBytes(progressWrite(progress).value!, input),
  }),
  /** The genesis of any network that its definition accepts. */
  genesis: {
    seeds: () =>
      jsonTexts(
        { extends: "local", genesis: { accounts: [] } },
        { extends: "local", chainId: 5, genesis: { accounts: [ACCOUNT], difficulty: "0x07" } },
        { extends: "main", genesis: { timestamp: 1, extraData: "0x00", gasLimit: 5_000_000 } },
      ),
    maxLength: 20_000,
    words: ["extends", "balance", "nonce", "code", "storage", "stateRoot", "minimumGasPrice", "coinbase", "bridge"],
    async run(input) {
      let own: NetworkConfig;
      try {
        own = await loadNetwork(JSON.parse(textOf(input)));
      } catch {
        // Another target tests the errors of refused definitions.
        return;
      }
      const chain = await openChain({ network: own, database: new MemoryDatabase(), now: () => NOW });
      const block = chain.blockByNumber(0)!;
      assertSameBytes(Block.decode(block.encode(), own).hash, block.hash);
    },
  },
};
