import assert from "node:assert/strict";
import { utf8 } from "@cambium/primitives";
import { attempt, decoding, type FuzzTarget, textOf } from "@cambium/test-utils/fuzz-target";
import { headers, type MsgHdrs } from "@nats-io/transport-node";
import { feedHeaders, readFeedMessage } from "../../src/sinks/nats-message.js";

const HASH = `0x${"ab".repeat(32)}`;
const CONTENT = { chainId: 33, genesis: HASH, tables: "logs,blocks" };
const BLOCK = { number: 7, hash: HASH };
const SEQ = 100;

/** Parses headers from lines; omits those that the client library does not accept. */
function headersFrom(text: string): MsgHdrs {
  const out = headers();
  for (const line of text.split("\n")) {
    const [name = "", ...value] = line.split(": ");
    attempt(() => out.append(name, value.join(": ")), [Error]);
  }
  return out;
}

const seeds = (["rows", "block", "retraction", "retracted"] as const).map((kind) => {
  const sent = feedHeaders({ content: CONTENT, kind, block: BLOCK, below: 3 }, BLOCK);
  return utf8(
    sent
      .keys()
      .map((name) => `${name}: ${sent.get(name)}`)
      .join("\n"),
  );
});

export const targets: Readonly<Record<string, FuzzTarget>> = {
  "nats-headers": decoding({
    seeds: () => seeds,
    words: ["block", "rows", "retracted", String(SEQ)],
    decode: (input) => readFeedMessage({ seq: SEQ, headers: headersFrom(textOf(input)), data: input }),
    refusals: [],
    check(message) {
      if (message === undefined) return;
      assert.ok(message.below < SEQ && Number.isSafeInteger(message.block.number));
      const again = feedHeaders(message, undefined);
      assert.deepEqual(readFeedMessage({ seq: SEQ, headers: again, data: new Uint8Array() }), message);
    },
  }),
};
