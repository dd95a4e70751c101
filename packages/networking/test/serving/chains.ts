import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Chain, openChain } from "@cambium/chain";
import { importFiles } from "@cambium/chain-maintenance";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { vectorPath } from "@cambium/test-utils/vectors";

/** A recorded chain of the local network in memory. */
export async function recordedChain(name: string): Promise<Chain> {
  const plain = join(vectorPath("chains"), `${name}.blocks.txt`);
  const chain = await openChain({ network: NETWORKS.local, database: new MemoryDatabase() });
  await importFiles(chain, [existsSync(plain) ? plain : `${plain}.gz`]);
  return chain;
}
