import assert from "node:assert/strict";
import { main } from "@cambium/config";
import { fromHex } from "@cambium/primitives";
import { readVector } from "@cambium/test-utils/chains/chain-vectors";
import { vectorPath } from "@cambium/test-utils/vectors";
import { BlockHeader } from "@cambium/types";
import { HeaderVerifier } from "../../src/shared/header-verifier.js";
import { BadAnswer } from "../../src/snapshot/snapshot-peers.js";
import { verifiedRun } from "../../src/work-verification/header-run.js";
import { weightOf } from "../../src/work-verification/header-weight.js";

const signal = new AbortController().signal;

describe("a run of headers", () => {
  const { blocks } = JSON.parse(readVector(vectorPath("merged-mining", "mainnet-headers-contiguous.json")));
  const headers: BlockHeader[] = blocks.map(({ header }: { header: string }) =>
    BlockHeader.decode(fromHex(header), main, "full"),
  );
  const descending = [...headers].reverse();
  const top = descending[0]!;
  const chain = { isKnownInvalid: () => false };
  const verifier = new HeaderVerifier({ chain, network: main, checkpoint: undefined, now: () => Date.now() / 1000 });
  const verify = (run: readonly BlockHeader[]) => verifiedRun(run, top, { verifier, genesis: headers[0]! }, signal);

  it("of main is verified with its work, and weighs what its headers say", async () => {
    const run = await verify(descending);
    assert.deepEqual(run, headers);
    const { least, most } = weightOf(run, top.number - 100, main);
    const own = headers.slice(-101).reduce((sum, { difficultyValue }) => sum + difficultyValue, 0n);
    const uncles = headers.slice(-101).reduce((sum, { uncleCount }) => sum + uncleCount, 0);
    assert(uncles > 0);
    assert(least > own && most < own * 11n);
  });

  it("with a header that is changed is refused", async () => {
    const changes: Record<string, (header: BlockHeader) => BlockHeader> = {
      work: (header) =>
        header.with({ merkleProof: header.merkleProof!.map((byte, index) => (index === 5 ? byte ^ 1 : byte)) }),
      difficulty: (header) => header.with({ difficulty: header.difficultyValue + 1n }),
      number: (header) => header.with({ number: header.number + 1 }),
      parent: (header) => header.with({ parentHash: new Uint8Array(32) }),
    };
    for (const [name, change] of Object.entries(changes)) {
      const run = descending.map((header, index) => (index === 77 ? change(header) : header));
      await assert.rejects(verify(run), (error) => error instanceof BadAnswer, name);
    }
    await assert.rejects(verify([]), BadAnswer);
    await assert.rejects(verify(descending.slice(1)), BadAnswer);
  });
});
