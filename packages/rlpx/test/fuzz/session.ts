import assert from "node:assert/strict";
import { concatBytes, encodeRlp, keccak256, numberToBytes } from "@cambium/primitives";
import type { FuzzTarget } from "@cambium/test-utils/fuzz-target";
import { encodeMessage } from "../../src/rsk/encoding.js";
import type { RskMessage } from "../../src/rsk/messages.js";
import { MAX_QUEUED_ANSWERS } from "../../src/rsk/outgoing-queue.js";
import { messagesIn, sequenceOf } from "../rsk/message-sequence.js";
import { SessionUnderTest, settled } from "../rsk/session-parts.js";

const HASH = keccak256(Uint8Array.of(1));
const LIST = encodeRlp([Uint8Array.of(1), new Uint8Array(70)]);
const MINUTE = 60_000;

function sequence(...messages: readonly RskMessage[]): Uint8Array {
  return sequenceOf(messages.map(encodeMessage));
}

export const targets: Readonly<Record<string, FuzzTarget>> = {
  /**
   * Handles messages from a peer with three pending requests. Each request must end, and handlers receive no more than
   * the peer sent.
   */
  session: {
    share: 2,
    seeds: () => [
      sequence({ type: "blockHashResponse", id: 1n, hash: HASH }, { type: "blockHashRequest", id: 7n, height: 300 }),
      sequence(
        { type: "bodyResponse", id: 2n, transactions: [LIST], uncles: LIST, extension: LIST },
        { type: "blockHeadersResponse", id: 3n, headers: [LIST] },
        { type: "newBlockHashes", blocks: [{ hash: HASH, number: 5 }] },
        { type: "transactions", transactions: [LIST, LIST] },
      ),
      sequence({ type: "getBlock", hash: HASH }, { type: "snapBlocksRequest", id: 2n, below: 400 }),
      concatBytes(Uint8Array.of(0x18, 0, 2), encodeRlp([numberToBytes(1)])),
    ],
    async run(input) {
      const test = new SessionUnderTest();
      const asked = [
        test.session.request("blockHashRequest", { height: 5 }),
        test.session.request("bodyRequest", { hash: HASH }),
        test.session.request("blockHeadersRequest", { hash: HASH, count: 2 }),
      ];
      const outcomes = Promise.allSettled(asked);
      let sent = 0;
      for (const { code, payload } of messagesIn(input)) {
        test.session.receive(code, payload);
        test.clock.pass(code);
        sent++;
      }
      const { requests, notifications, unexpected, malformed, excess } = test;
      assert(requests.length + notifications.length + unexpected.length + malformed.length + excess <= sent);
      assert(requests.length <= MAX_QUEUED_ANSWERS + sent && malformed.length <= 1);
      test.clock.pass(MINUTE);
      await settled();
      for (const outcome of await outcomes) assert(outcome.status === "fulfilled" || outcome.reason.code === "CLOSED");
      assert.equal(test.clock.pending, 0);
    },
  },
};
