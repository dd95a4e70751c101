import assert from "node:assert/strict";
import { relayProfile } from "@cambium/chain";
import { RlpError } from "@cambium/primitives";
import { attempt, decoding, type FuzzTarget } from "@cambium/test-utils/fuzz-target";
import { emptyChain, Mine, network, transfer } from "@cambium/test-utils/mined-chains";
import { TypesError } from "@cambium/types";
import { checkBody, readBlock, ruleFault } from "../../src/gossip/received-block.js";
import { readTransaction } from "../../src/gossip/transaction-check.js";
import { decodeServedBlock } from "../../src/snapshot/served-block.js";
import { BadAnswer } from "../../src/snapshot/snapshot-peers.js";

const NOW = 1_700_000_000;

/** Blocks with and without a transaction. */
async function blocks(): Promise<Uint8Array[]> {
  const mine = new Mine(await emptyChain());
  const first = await mine.block();
  mine.transactions = [transfer(0n)];
  return [first.encode(), (await mine.block()).encode()];
}

export const targets: Readonly<Record<string, FuzzTarget>> = {
  /** Checks of a gossiped block before it is relayed. */
  "gossiped-block": decoding({
    seeds: blocks,
    decode: (input) => readBlock(input, network),
    refusals: [TypesError, RlpError],
    check(block) {
      ruleFault(relayProfile.headerRules, { header: block.header, network, now: NOW });
      ruleFault(relayProfile.childRules, { header: block.header, parent: block.header, network, now: NOW });
      checkBody(block, network);
    },
  }),
  "gossiped-transaction": {
    seeds: () => [transfer(0n).encoded],
    run: (input) => void readTransaction(input, network),
  },
  "served-block": {
    seeds: blocks,
    run(input) {
      const block = attempt(() => decodeServedBlock({ encoded: input, totalDifficulty: 1n }, network), [BadAnswer]);
      assert(block === undefined || block.value.hash.length === 32);
    },
  },
};
