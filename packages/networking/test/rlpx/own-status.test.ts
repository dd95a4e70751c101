import assert from "node:assert/strict";
import type { Chain } from "@cambium/chain";
import { emptyChain, Mine } from "@cambium/test-utils/mined-chains";
import { ownNetworkStatus, ownStatus } from "../../src/rlpx/own-status.js";
import type { ServedSources } from "../../src/serving/served-sources.js";

describe("own claim on the deployed network's wire", () => {
  let chain: Chain;

  before(async () => {
    chain = await emptyChain();
    await new Mine(chain).blocks(3);
  });

  const sources = (earliest: number): ServedSources => ({
    chain,
    pooledTransaction: () => undefined,
    earliestBody: () => earliest,
  });

  it("is the best block", () => {
    const { header, hash, totalDifficulty } = chain.best();
    const best = { bestNumber: 3, bestHash: hash, bestParentHash: header.parentHash, totalDifficulty };
    assert.deepEqual(ownStatus(sources(0), 62), best);
    assert.deepEqual(ownStatus(sources(0), 63), { ...best, earliestBlock: 0 });
    assert.deepEqual(ownNetworkStatus(sources(0)), {
      protocolVersion: 62,
      networkId: chain.network.networkId,
      totalDifficulty,
      bestHash: hash,
      genesisHash: chain.genesis.hash,
    });
  });

  it("is genesis while blocks are missing, unless the peer reads which ones are served", () => {
    const { hash, parentHash } = chain.genesis;
    const totalDifficulty = chain.totalDifficulty(hash)!;
    assert.deepEqual(ownStatus(sources(1), 62), {
      bestNumber: 0,
      bestHash: hash,
      bestParentHash: parentHash,
      totalDifficulty,
    });
    const { bestNumber, earliestBlock } = ownStatus(sources(1), 63);
    assert.deepEqual([bestNumber, earliestBlock], [3, 1]);
    assert.deepEqual(ownNetworkStatus(sources(1)).bestHash, hash);
  });
});
