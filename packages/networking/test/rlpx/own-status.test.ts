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
    assert.deepEqual(ownStatus(sources(0)), {
      bestNumber: 3,
      bestHash: hash,
      bestParentHash: header.parentHash,
      totalDifficulty,
    });
    assert.deepEqual(ownNetworkStatus(sources(0)), {
      protocolVersion: 62,
      networkId: chain.network.networkId,
      totalDifficulty,
      bestHash: hash,
      genesisHash: chain.genesis.hash,
    });
  });

  it("is genesis while blocks are missing", () => {
    const { hash, parentHash } = chain.genesis;
    const totalDifficulty = chain.totalDifficulty(hash)!;
    assert.deepEqual(ownStatus(sources(1)), {
      bestNumber: 0,
      bestHash: hash,
      bestParentHash: parentHash,
      totalDifficulty,
    });
    assert.deepEqual(ownNetworkStatus(sources(1)).bestHash, hash);
  });
});
