import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { buildGenesis, openChain } from "@cambium/chain";
import { importSources, type SourceLine } from "@cambium/chain-maintenance";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { recordedBlocks } from "@cambium/test-utils/chains/chain-vectors";
import { withFolder } from "@cambium/test-utils/node-cli";
import { decodeBlockHeader } from "@cambium/types";
import { ClassicLevel } from "classic-level";
import RocksDB from "rocksdb-native";
import { withRskjSource } from "../src/rskj-blocks/rskj-source.js";

const network = NETWORKS.local;

/** Writes blocks as the deployed client stores them. */
type Write = (path: string, blocks: readonly Uint8Array[]) => Promise<void>;

const writeRocksDb: Write = async (path, blocks) => {
  const database = new RocksDB(path);
  for (const rlp of blocks) await database.put(hashOf(rlp), rlp);
  await database.close();
};

const writeLevelDb: Write = async (path, blocks) => {
  const options = { keyEncoding: "view", valueEncoding: "view", compression: false, blockSize: 10 * 2 ** 20 } as const;
  const database = new ClassicLevel<Uint8Array, Uint8Array>(path, options);
  for (const rlp of blocks) await database.put(hashOf(rlp), rlp);
  await database.compactRange(new Uint8Array(0), new Uint8Array(33).fill(0xff));
  await database.close();
};

function hashOf(rlp: Uint8Array): Uint8Array {
  return decodeBlockHeader(rlp, network).hash;
}

describe("an import from the deployed client's database", () => {
  for (const [name, write] of Object.entries({ RocksDB: writeRocksDb, LevelDB: writeLevelDb })) {
    it(`continues after an interruption where it ended, from ${name}`, () => interruptAndContinue(write));
  }
});

async function interruptAndContinue(write: Write): Promise<void> {
  await withFolder(async (folder) => {
    const blocks = recordedBlocks("transfers");
    const genesis = buildGenesis(network, { put: () => undefined }).block.encode();
    await write(join(folder, "blocks"), [genesis, ...blocks]);
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
}
