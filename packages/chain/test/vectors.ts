import { existsSync } from "node:fs";
import { join } from "node:path";
import { NETWORKS } from "@cambium/config";
import { Block } from "@cambium/types";
import { vectorPath } from "../../../test/vectors.js";
import { type BlockFileEntry, readBlockFile } from "../src/index.js";

/** Path of a vector chain's blocks, or undefined where the vectors are not installed. */
export function chainFile(name: string): string | undefined {
  const folder = vectorPath("chains");
  if (folder === undefined) return undefined;
  return [`${name}.blocks.txt`, `${name}.blocks.txt.gz`].map((file) => join(folder, file)).find(existsSync);
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
