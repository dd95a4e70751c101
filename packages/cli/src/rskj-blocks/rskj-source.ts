import { join } from "node:path";
import { ChainError, type ChainReader } from "@cambium/chain";
import type { BlockSource, SourceLine } from "@cambium/chain-maintenance";
import type { NetworkConfig } from "@cambium/config";
import { equalBytes, toData } from "@cambium/primitives";
import { type BlockHeader, decodeBlockHeader, TypesError } from "@cambium/types";
import { BestChain, type BestChainPart } from "./best-chain.js";
import { type BlockPlace, type BlockStore, databaseError, fingerprint } from "./block-store.js";
import { openBlockStore } from "./open-store.js";

export interface RskjSourceOptions {
  /** Folder that the deployed client's setting `database.dir` names; it stays unchanged. */
  folder: string;
  /** Folder of this node; the order of the blocks is in a folder in it. */
  dataDir: string;
  /** Rejects with its reason once it is aborted. */
  signal: AbortSignal;
  onProgress: (text: string, share: number) => void;
}

/**
 * Runs `use` with the blocks of the deployed client's best chain that `chain` does not have yet. The order of the
 * blocks is kept in the data folder until `use` has ended. Rejects with `CliError` `RSKJ_DATABASE`.
 */
export async function withRskjSource<T>(
  chain: Pick<ChainReader, "best" | "headerByHash" | "network">,
  { folder, dataDir, signal, onProgress }: RskjSourceOptions,
  use: (source: BlockSource) => Promise<T>,
): Promise<T> {
  const store = await openBlockStore(folder);
  try {
    const order = await BestChain.open(join(dataDir, "from-rskj"));
    try {
      const onRead = (count: number) => onProgress(`found ${count} blocks`, store.fractionRead);
      await order.fill(store, fingerprint(folder), signal, onRead);
      const isKnown = (number: number, hash: Uint8Array) =>
        number <= chain.best().header.number && chain.headerByHash(hash) !== undefined;
      const part = await order.remaining(isKnown, signal);
      requireWhole(part, folder, chain.network);
      const blocks = order.blocks(part.first);
      const result = await use({
        name: folder,
        size: part.bytes,
        read: ({ onBytes }) => readBlocks(store, blocks, folder, chain.network, onBytes),
      });
      if (!signal.aborted) await order.remove();
      return result;
    } finally {
      await order.close();
    }
  } finally {
    await store.close();
  }
}

function requireWhole(
  part: BestChainPart | undefined,
  folder: string,
  network: NetworkConfig,
): asserts part is BestChainPart {
  if (part === undefined) throw databaseError(folder, "it has no blocks");
  const { first, last, missing } = part;
  if (missing === undefined) return;
  const reason =
    first === 0
      ? `its genesis block is not that of the network ${network.name}; choose its network with --network`
      : `block ${first - 1} ${toData(missing)} is missing or damaged, on which blocks ${first} to ${last} build; ` +
        "a node that began with a snapshot does not have the first blocks";
  throw databaseError(folder, reason);
}

/** The place of a block is its number. */
async function* readBlocks(
  store: BlockStore,
  blocks: AsyncIterable<{ number: number; place: BlockPlace }>,
  folder: string,
  network: NetworkConfig,
  onBytes: ((bytes: number) => void) | undefined,
): AsyncGenerator<SourceLine> {
  let bytes = 0;
  for await (const { number, place } of blocks) {
    const { hash } = place;
    const rlp = await store.get(place);
    if (rlp === undefined) throw databaseError(folder, `block ${number} ${toData(hash)} has been deleted`);
    bytes += rlp.length;
    onBytes?.(bytes);
    const header = headerOf(rlp, network);
    if (header === undefined || equalBytes(header.hash, hash)) {
      yield { entry: { line: number, number, hash, rlp, header } };
    } else {
      const reason = `the block has the hash ${toData(header.hash)}, but is stored under ${toData(hash)}`;
      yield { fault: new ChainError({ code: "BLOCK_FILE_LINE", file: folder, line: number, reason }), line: number };
    }
  }
}

/** Undefined if it is malformed: the import reports why. */
function headerOf(rlp: Uint8Array, network: NetworkConfig): BlockHeader | undefined {
  try {
    return decodeBlockHeader(rlp, network);
  } catch (error) {
    if (error instanceof TypesError) return undefined;
    throw error;
  }
}
