import { existsSync } from "node:fs";
import { join } from "node:path";
import { type BlockFileEntry, readBlockFile } from "@cambium/chain-maintenance";
import { NETWORKS } from "@cambium/config";
import { vectorPath } from "@cambium/test-utils/vectors";
import { Block } from "@cambium/types";

/** Path of a recorded chain's blocks. */
export function chainFile(name: string): string {
  const plain = join(vectorPath("chains"), `${name}.blocks.txt`);
  return existsSync(plain) ? plain : `${plain}.gz`;
}

/** Lines of a recorded chain. */
export async function chainEntries(name: string): Promise<BlockFileEntry[]> {
  const entries: BlockFileEntry[] = [];
  for await (const line of readBlockFile(chainFile(name))) if ("entry" in line) entries.push(line.entry);
  return entries;
}

export async function chainBlocks(name: string): Promise<Block[]> {
  return (await chainEntries(name)).map(({ rlp }) => Block.decode(rlp, NETWORKS.local));
}
