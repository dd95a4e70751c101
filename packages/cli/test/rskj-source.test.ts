import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { buildGenesis, importSources, openChain, type SourceLine } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { recordedBlocks } from "@cambium/test-utils/chain-vectors";
import { withFolder } from "@cambium/test-utils/node-cli";
import { decodeBlockHeader } from "@cambium/types";
import RocksDB from "rocksdb-native";
import { withRskjSource } from "../src/rskj-blocks/rskj-source.js";

const network = NETWORKS.local;

/** Writes recorded blocks as the deployed client stores them. */
async function writeDatabase(folder: string, blocks: readonly Uint8Array[]): Promise<void> {
  const path = join(folder, "blocks");
  mkdirSync(path, { recursive: true });
  const database = new RocksDB(path);
  const genesis = buildGenesis(network, { put: () => undefined }).block.encode();
  for (const rlp of [genesis, ...blocks]) await database.put(decodeBlockHeader(rlp, network).hash, rlp);
  await database.close();
}

describe("an import from the deployed client's database", () => {
  it("continues after an interruption where it ended", async () => {
    await withFolder(async (folder) => {
      const blocks = recordedBlocks("transfers");
      await writeDatabase(folder, blocks);
      const chain = await openChain({ network, database: new MemoryDatabase() });
      const run = (interruption: AbortController, after: number) => {
        const { signal } = interruption;
        const options = { folder, dataDir: folder, signal, onProgress: () => undefined };
        return withRskjSource(chain, options, async (source) => {
          async function* read(): AsyncGenerator<SourceLine> {
            let count = 0;
            for await (const line of source.read({})) {
              if (count++ === after) interruption.abort();
              yield line;
            }
          }
          return { size: source.size, ...(await importSources(chain, [{ ...source, read }], { signal })) };
        });
      };
      const first = await run(new AbortController(), 20);
      assert.deepEqual([first.interrupted, first.imported], [true, 20]);
      assert(existsSync(join(folder, "from-rskj")));
      const second = await run(new AbortController(), Number.POSITIVE_INFINITY);
      const size = (from: number) => blocks.slice(from).reduce((sum, { length }) => sum + length, 0);
      assert.deepEqual([first.size, second.size], [size(0), size(20)]);
      assert.deepEqual([second.imported, second.known], [blocks.length - 20, 0]);
      assert.deepEqual([second.interrupted, second.best.number], [false, blocks.length]);
      assert(!existsSync(join(folder, "from-rskj")));
      await chain.close();
    });
  });
});
