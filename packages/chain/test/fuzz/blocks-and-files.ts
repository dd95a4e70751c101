import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { MemoryDatabase, type Write } from "@cambium/database";
import { CambiumError, concatBytes, keccak256, toHex } from "@cambium/primitives";
import { type FuzzTarget, fileOf, texts } from "@cambium/test-utils/fuzz-target";
import { copyOf, emptyChain, Mine, NOW, network, transfer } from "@cambium/test-utils/mined-chains";
import { readBlockFile } from "../../src/files/block-file.js";
import { type Chain, checkDatabase, importFiles, openChain, TABLES } from "../../src/index.js";

const KINDS = ["imported-best", "imported-side", "already-known", "missing-parent", "invalid"];

/** A chain of blocks, one of them with a transaction. */
async function mined(): Promise<Chain> {
  const mine = new Mine(await emptyChain());
  await mine.block();
  mine.transactions = [transfer(0n)];
  await mine.block();
  await mine.block();
  return mine.chain;
}

let source: Promise<Chain> | undefined;
const blocks = async () => {
  const chain = await (source ??= mined());
  return [1, 2, 3].map((number) => chain.blockByNumber(number)!.encode());
};

/** A chain that lacks the last two blocks. */
let target: Promise<Chain> | undefined;
const shorter = () => (target ??= blocks().then(async () => copyOf(await source!, 1)));

async function lines(): Promise<string> {
  const encoded = await blocks();
  return encoded.map((bytes, i) => `${i + 1},${toHex(keccak256(bytes))},0a,${toHex(bytes)}\n`).join("");
}

let stored: Promise<Write[]> | undefined;

/** All entries of a database with the blocks. */
async function entries(): Promise<Write[]> {
  const database = new MemoryDatabase();
  await copyOf(await (source ??= mined()), 3, await openChain({ network, database, now: () => NOW }));
  const found: Write[] = [];
  for (const table of Object.values(TABLES)) {
    for await (const { key, value } of database.entries(table)) found.push({ table, key, value });
  }
  return found;
}

/** A database of which one entry, given by the first byte, has another value. */
async function damaged(input: Uint8Array): Promise<MemoryDatabase> {
  const writes = await (stored ??= entries());
  const damage = { ...writes[(input[0] ?? 0) % writes.length]!, value: input.subarray(1) };
  const database = new MemoryDatabase();
  await database.write([...writes, damage]);
  return database;
}

export const targets: Readonly<Record<string, FuzzTarget>> = {
  /** Any bytes as a block from a peer: the import answers, whatever they are. */
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
      const summary = await importFiles(await shorter(), [fileOf(input, "import.txt")]);
      assert(summary.rejectedCount >= summary.rejected.length);
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
};
