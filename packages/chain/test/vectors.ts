import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { NETWORKS } from "@cambium/config";
import { Block } from "@cambium/types";
import { type BlockFileEntry, readBlockFile } from "../src/index.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const FOLDER = resolve(ROOT, process.env.CAMBIUM_VECTORS ?? "../shared/vectors", "chains");

/** Path of a vector chain's blocks, or undefined where the vectors are not installed. */
export function chainFile(name: string): string | undefined {
  return [`${name}.blocks.txt`, `${name}.blocks.txt.gz`].map((file) => join(FOLDER, file)).find(existsSync);
}

/** Lines of a vector chain. */
export async function chainEntries(name: string): Promise<BlockFileEntry[]> {
  const entries: BlockFileEntry[] = [];
  for await (const line of readBlockFile(chainFile(name)!)) if ("entry" in line) entries.push(line.entry);
  return entries;
}

export async function chainBlocks(name: string): Promise<Block[]> {
  return (await chainEntries(name)).map(({ rlp }) => Block.decode(rlp, NETWORKS.local));
}
