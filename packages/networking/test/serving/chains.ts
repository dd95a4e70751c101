import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Chain, importFiles, MemoryDatabase, openChain } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { vectorPath } from "../../../../test/vectors.js";

/** A recorded chain of the local network in memory, or undefined where the vectors are not installed. */
export async function recordedChain(name: string): Promise<Chain | undefined> {
  const folder = vectorPath("chains");
  if (folder === undefined) return undefined;
  const file = [`${name}.blocks.txt`, `${name}.blocks.txt.gz`].map((end) => join(folder, end)).find(existsSync);
  const chain = await openChain({ network: NETWORKS.local, database: new MemoryDatabase() });
  await importFiles(chain, [file!]);
  return chain;
}
