import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { ChainCompanion, ExpectedBlock } from "@cambium/conformance";
import { vectorPath } from "@cambium/test-utils/vectors";

/** Definition of the local network on which the chains were recorded, before RSKIP-378 was active there. */
export const RECORDED_NETWORK = fileURLToPath(new URL("files/recorded-network.json", import.meta.url));

/** The parts of a companion file that every chain of these tests has. */
export type Companion = Required<
  Pick<ChainCompanion, "chainId" | "genesisHash" | "bestBlock" | "blocks" | "accounts" | "contracts" | "calls" | "logs">
>;

/** A recorded chain: the file of its blocks, and their expected contents. */
export interface RecordedChain {
  name: string;
  blockFile: string;
  companion: Companion;
  /** Blocks in ascending order, without genesis. */
  bestChain: ExpectedBlock[];
  /** Accepted blocks off the best chain. */
  sideBlocks: ExpectedBlock[];
}

export function recordedChain(name: string): RecordedChain {
  const blockFile = vectorPath("chains", `${name}.blocks.txt.gz`);
  const companionFile = vectorPath("chains", `${name}.json.gz`);
  const companion: Companion = JSON.parse(gunzipSync(readFileSync(companionFile)).toString());
  const accepted = new Map(companion.blocks.filter(isAccepted).map((block) => [block.hash, block]));
  const bestChain: ExpectedBlock[] = [];
  for (let block = accepted.get(companion.bestBlock.hash); block; block = accepted.get(block.parentHash)) {
    bestChain.unshift(block);
    accepted.delete(block.hash);
  }
  return { name, blockFile, companion, bestChain, sideBlocks: [...accepted.values()] };
}

function isAccepted({ result }: ExpectedBlock): boolean {
  return result === "IMPORTED_BEST" || result === "IMPORTED_NOT_BEST";
}
