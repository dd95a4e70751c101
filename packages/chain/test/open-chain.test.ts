import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChainError, TABLES } from "@cambium/chain-store";
import { NETWORKS } from "@cambium/config";
import { type Database, openLevelDatabase } from "@cambium/database";
import { toHex } from "@cambium/primitives";
import { chainBlocks } from "@cambium/test-utils/chain-files";
import { localBlock, openChain, openReader } from "../src/index.js";

describe("opening a chain", () => {
  let folder: string;
  let database: Database;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-open-"));
    database = await openLevelDatabase(folder, { create: true });
  });

  afterEach(async () => {
    await database.close();
    rmSync(folder, { recursive: true });
  });

  it("rejects a database of another network or a newer schema, and resumes its own", async () => {
    const blocks = (await chainBlocks("transfers")).slice(0, 5);
    const chain = await openChain({ network: NETWORKS.local, database });
    await Promise.all(blocks.map((block) => chain.import(localBlock(block))));
    const reader = openReader({ network: NETWORKS.local, database });
    assert.equal(toHex(reader.best().hash), toHex(blocks[4]!.hash));
    await chain.close();
    database = await openLevelDatabase(folder, { create: true });
    const again = await openChain({ network: NETWORKS.local, database });
    assert.equal(again.best().header.number, 5);
    await assert.rejects(
      openChain({ network: NETWORKS.main, database }),
      (error) => error instanceof ChainError && error.code === "DATABASE_NETWORK",
    );
    await database.write([{ table: TABLES.facts, key: Uint8Array.of(1), value: Uint8Array.of(99) }]);
    await assert.rejects(
      openChain({ network: NETWORKS.local, database }),
      (error) => error instanceof ChainError && error.code === "DATABASE_SCHEMA",
    );
  });

  it("opens a chain whose trie lacks nodes after a kill, and says so when the next block arrives", async () => {
    const [block, ...earlier] = (await chainBlocks("transfers")).slice(0, 6).reverse();
    const chain = await openChain({ network: NETWORKS.local, database });
    for (const one of earlier.reverse()) await chain.import(localBlock(one));
    for await (const { key } of database.entries(TABLES.trieNodes)) {
      await database.write([{ table: TABLES.trieNodes, key: key.slice(), value: undefined }]);
    }
    const again = await openChain({ network: NETWORKS.local, database });
    await assert.rejects(
      again.import(localBlock(block!)),
      (error) => error instanceof ChainError && error.code === "DATABASE_DAMAGED",
    );
    assert.equal(again.best().header.number, 5);
  });
});
