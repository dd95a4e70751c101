import assert from "node:assert/strict";
import type { Chain } from "@cambium/chain";
import { encodeMessage, type RskRequest } from "@cambium/rlpx";
import { recordedChain } from "@cambium/test-utils/chains/chain-vectors";
import { isAnswerTo, isQuestion } from "@cambium/test-utils/peers/recorded-content";
import { Conversation } from "@cambium/test-utils/peers/recorded-conversations";
import { answerTo } from "../../src/rlpx/answers.js";

/** Compares with recorded answers of the deployed client, on the same chain. */
describe("answers to deployed nodes", () => {
  let chain: Chain;

  before(async () => {
    chain = await recordedChain("rewards");
  });

  const answer = (request: RskRequest) =>
    answerTo(request, { chain, pooledTransaction: () => undefined, earliestBody: () => 0 });

  it("are those of the deployed client, or silence where it is silent", () => {
    const { messages } = Conversation.read("sync-from-rskj");
    let [answered, silent] = [0, 0];
    for (const { isOurs, message } of messages) {
      if (!isOurs || message === undefined || !isQuestion(message) || message.type === "getBlock") continue;
      // The deployed client has signed ids, and answers such a request under another id.
      if (message.id >= 2n ** 63n) continue;
      const recorded = messages.find((other) => !other.isOurs && other.message && isAnswerTo(other.message, message));
      const own = answer(message);
      assert.deepEqual(own && encodeMessage(own).payload, recorded?.payload, `${message.type} ${message.id}`);
      if (recorded === undefined) silent++;
      else answered++;
    }
    assert.ok(answered > 90 && silent >= 7, `${answered} answered, ${silent} not`);
  });

  it("to requests for snapshots are silence on a node that serves none", () => {
    const request = { id: 1n, below: 12 } as const;
    assert.equal(answer({ type: "snapStatusRequest", id: 1n }), undefined);
    assert.equal(answer({ type: "snapBlocksRequest", ...request }), undefined);
    assert.equal(answer({ type: "snapStateChunkRequest", id: 1n, blockNumber: 5, from: 0, chunkSize: 50 }), undefined);
  });
});
