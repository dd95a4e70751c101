import assert from "node:assert/strict";
import { localBlock } from "@cambium/chain";
import type { NetworkConfig } from "@cambium/config";
import { fc, runs } from "@cambium/test-utils/properties";
import { type Bench, bench, NOW, network, signed, solve } from "./support.js";

/** The local network with the timestamp rules of the test network. */
const timed: NetworkConfig = {
  ...network,
  consensus: { ...network.consensus, validPeriod: 540, parentChainTimeWindow: 300 },
};

/** A block by the distance of its parent from the best block, and its time after the parent. */
const step = fc.record({
  depth: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.integer({ min: 1, max: 8 }) }),
  delay: fc.integer({ min: 1, max: 20 }),
});
type Step = { depth: number; delay: number };

/** Builds on recent blocks; import must accept the results. Returns the number of cited uncles. */
async function grow({ chain, builder, pool }: Bench, { depth, delay }: Step): Promise<number> {
  const parentHash = chain.hashByNumber(Math.max(0, chain.best().header.number - depth))!;
  pool.transactions = [signed("cow", { gasLimit: 21_000n, nonce: chain.stateAfter(parentHash)!.getNonce(COW) })];
  const adjustment = Math.max(0, Number(chain.headerByHash(parentHash)!.timestamp) - NOW) + delay;
  const template = builder.build({ parentHash, adjustment });
  const result = await chain.import(localBlock(await solve(template, chain.network)));
  if (result.kind === "invalid") assert.fail(`${result.fault.code} at ${template.header.number}`);
  return template.uncles.length;
}

const COW = signed("cow").sender!;

describe("templates on random branches", () => {
  for (const [name, chosen] of [
    ["without timestamp rules", network],
    ["with timestamp rules", timed],
  ] as const) {
    it(`${name}: import accepts all, including uncles`, async () => {
      let cited = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), async (steps) => {
          const made = await bench({ network: chosen });
          for (const each of steps) cited += await grow(made, each);
        }),
        { numRuns: runs(12) },
      );
      assert(cited > 40, String(cited));
    });
  }

  it("with fork-detection data: import accepts all, including uncles and reorganisations", async () => {
    const made = await bench();
    while (made.chain.best().header.number < 446) await made.mine();
    let [cited, reorganisations] = [0, 0];
    made.chain.on(({ kind }) => {
      if (kind === "reorg") reorganisations++;
    });
    const steps = fc.sample(step, { numRuns: 150, seed: 42 });
    for (const each of steps) cited += await grow(made, each);
    assert(made.chain.best().header.number > 500);
    assert(cited > 20 && reorganisations > 0, `${cited} ${reorganisations}`);
  });
});
