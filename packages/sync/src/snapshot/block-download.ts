import { setImmediate as nextTurn } from "node:timers/promises";
import type { WeighedBlock } from "@cambium/chain";
import type { NetworkConfig } from "@cambium/config";
import type { PeerId, PeerNetwork } from "@cambium/networking";
import { equalBytes } from "@cambium/primitives";
import type { Block } from "@cambium/types";
import { decodeServedBlock } from "./served-block.js";
import { BadAnswer, type SnapshotPeers } from "./snapshot-peers.js";

/** Blocks of one answer (`spec/07 §B.7`). */
const ANSWER_BLOCKS = 400;
/** Blocks between two turns of the event loop. */
const BLOCKS_PER_TURN = 8;

export interface BlockDownloadModules {
  peers: SnapshotPeers;
  network: PeerNetwork;
  config: NetworkConfig;
}

/**
 * Blocks downwards from a known hash, linked to it and to each other and with the uncles that their headers name; as many
 * as one answer has, at least one and none below `lowest`. Rejects as {@link SnapshotPeers.ask}.
 */
export async function downloadBlocks(
  modules: BlockDownloadModules,
  from: Pick<WeighedBlock, "number" | "hash">,
  lowest: number,
  signal: AbortSignal,
): Promise<Block[]> {
  const { peers, network, config } = modules;
  const work = async (peer: PeerId, scope: AbortSignal): Promise<Block[]> => {
    // The lowest block that can be asked for has a height of one.
    const served = await network.snapshotBlocks(peer, from.number + 1, scope);
    const wanted = served.slice(-(from.number - lowest + 1));
    const blocks: Block[] = [];
    let expected = from.hash;
    for (const item of wanted.reverse()) {
      if (blocks.length % BLOCKS_PER_TURN === BLOCKS_PER_TURN - 1) await nextTurn();
      const block = decodeServedBlock(item, config);
      checkPlace(block, expected, from.number - blocks.length);
      blocks.push(block);
      expected = block.header.parentHash;
    }
    if (blocks.length === 0) throw new BadAnswer("INVALID_MESSAGE", "no blocks");
    return blocks;
  };
  const { answer } = await peers.ask({ kind: "snap-blocks", cost: ANSWER_BLOCKS, work }, signal);
  return answer;
}

function checkPlace(block: Block, hash: Uint8Array, number: number): void {
  if (!equalBytes(block.hash, hash) || block.number !== number) {
    throw new BadAnswer("INVALID_BLOCK", `not block ${number} of the chain that was asked for`);
  }
  if (!equalBytes(block.unclesHash, block.header.unclesHash)) {
    throw new BadAnswer("INVALID_BLOCK", `uncles of block ${number}`);
  }
}
