import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { type StateLayout, TOMBSTONE_SCHEMA } from "@cambium/chain-store";
import { NETWORKS } from "@cambium/config";
import { openLevelDatabase } from "@cambium/database";
import { fromHex, toHex } from "@cambium/primitives";
import { chainBlocks } from "@cambium/test-utils/chain-files";
import { destroyedStorages } from "@cambium/test-utils/chains/destroyed-storages";
import { Block } from "@cambium/types";
import { type Chain, localBlock, openChain } from "../src/index.js";

// Small databases as releases wrote them: the files of a database by name, each byte as a character.

const FOLDER = fileURLToPath(new URL("fixtures/", import.meta.url));
const TOMBSTONE_BLOCKS = join(FOLDER, "tombstone-blocks.json.gz");
const network = NETWORKS.local;
/**
 * Size of the write buffer, so small that there are tables besides the log. They are not compressed, because the whole
 * is.
 */
const WRITE_BUFFER = 64 * 1024;

export interface StoredSchema {
  name: string;
  schema: number;
  layout: StateLayout;
}

/** The databases that are recorded. */
export function storedSchemas(): StoredSchema[] {
  const names = readdirSync(FOLDER).flatMap((name) => name.match(/^schema-(\d+)-(\w+)\.json\.gz$/) ?? []);
  return Array.from({ length: names.length / 3 }, (_, i) => {
    const [, schema, layout] = names.slice(3 * i, 3 * i + 3) as [string, string, StateLayout];
    return { name: `schema-${schema}-${layout}`, schema: Number(schema), layout };
  });
}

/**
 * Blocks of a database, with branches, logs and contracts; from {@link TOMBSTONE_SCHEMA} on, up to the second
 * destruction of a contract. The last block is not part of the database.
 */
export async function schemaBlocks({ schema }: StoredSchema): Promise<{ stored: readonly Block[]; next: Block }> {
  const blocks = schema < TOMBSTONE_SCHEMA ? (await chainBlocks("contracts")).slice(0, 6) : tombstoneBlocks();
  return { stored: blocks.slice(0, -1), next: blocks.at(-1)! };
}

/** Recorded blocks, because the miner's blocks change with the rules for its templates. */
function tombstoneBlocks(): Block[] {
  const blocks: string[] = JSON.parse(gunzipSync(readFileSync(TOMBSTONE_BLOCKS)).toString());
  return blocks.map((rlp) => Block.decode(fromHex(rlp), network));
}

/** Records the blocks of databases with tombstones. */
export async function recordTombstoneBlocks(): Promise<void> {
  const blocks = (await destroyedStorages()).slice(0, 13).map((block) => toHex(block.encode()));
  writeFileSync(TOMBSTONE_BLOCKS, gzipSync(JSON.stringify(blocks), { level: 9 }));
}

/** Writes the files of a recorded database to a folder. */
export function unpackSchema({ name }: StoredSchema, location: string): void {
  mkdirSync(location);
  const files = JSON.parse(gunzipSync(readFileSync(join(FOLDER, `${name}.json.gz`))).toString());
  for (const [file, content] of Object.entries(files)) {
    writeFileSync(join(location, file), Buffer.from(content as string, "latin1"));
  }
}

/** Records a database of this version. */
export async function recordSchema(stored: StoredSchema, location: string): Promise<void> {
  const { name, layout } = stored;
  const database = await openLevelDatabase(location, {
    create: true,
    writeBufferSize: WRITE_BUFFER,
    compression: false,
  });
  const chain = await openChain({ network, database, stateLayout: layout });
  await importAll(chain, (await schemaBlocks(stored)).stored);
  await chain.close();
  const names = readdirSync(location).filter((file) => /^(CURRENT|MANIFEST-\d+|\d+\.(log|ldb))$/.test(file));
  const files = names.map((file) => [file, readFileSync(join(location, file)).toString("latin1")]);
  writeFileSync(join(FOLDER, `${name}.json.gz`), gzipSync(JSON.stringify(Object.fromEntries(files)), { level: 9 }));
}

export async function importAll(chain: Chain, blocks: readonly Block[]): Promise<void> {
  for (const block of blocks) await chain.import(localBlock(block));
}
