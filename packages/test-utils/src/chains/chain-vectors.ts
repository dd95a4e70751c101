import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { type Chain, openChain } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { fromHex } from "@cambium/primitives";
import { vectorPath } from "../vectors.js";

const BLOCK_FIELD = 3;
const MORE_DEPLOYED_BLOCKS = fileURLToPath(new URL("../peers/blocks-79-82.txt", import.meta.url));

/** Returns the content of a file, unpacked if its name ends in `.gz`. */
export function readVector(path: string): string {
  const bytes = readFileSync(path);
  return (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
}

/** Returns the RLP of the blocks of `test/vectors/chains/<name>`, from number 1 on. */
export function recordedBlocks(name: string): Uint8Array[] {
  const folder = vectorPath("chains");
  const plain = `${folder}/${name}.blocks.txt`;
  const lines = readVector(existsSync(plain) ? plain : `${plain}.gz`)
    .trim()
    .split("\n");
  return lines.map((line) => fromHex(line.split(",")[BLOCK_FIELD]!));
}

/**
 * Returns the RLP of the blocks that the deployed client had in most recorded connections: those of `rewards`, and four
 * more. Blocks 81 and 82 are recorded whole (`announcements-1`, `-2`). Blocks 79 and 80 are assembled from their
 * headers (`p2p-version-4`) and the transactions of `malformed.json`, and have the recorded hashes.
 */
export function deployedBlocks(): Uint8Array[] {
  const more = readVector(MORE_DEPLOYED_BLOCKS).trim().split("\n");
  return [...recordedBlocks("rewards"), ...more.map(fromHex)];
}

/** A chain in memory with the first blocks of a recorded one. */
export function recordedChain(name: string, height = Number.POSITIVE_INFINITY): Promise<Chain> {
  return chainOf(recordedBlocks(name).slice(0, height));
}

/** A chain in memory with the first of {@link deployedBlocks}. */
export function deployedChain(height: number): Promise<Chain> {
  return chainOf(deployedBlocks().slice(0, height));
}

async function chainOf(blocks: readonly Uint8Array[]): Promise<Chain> {
  const chain = await openChain({ network: NETWORKS.local, database: new MemoryDatabase() });
  for (const bytes of blocks) {
    const { kind } = await chain.import({ bytes, source: "file" });
    if (kind !== "imported-best") throw new Error(`a recorded block is not the best: ${kind}`);
  }
  return chain;
}
