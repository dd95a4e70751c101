import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { fromHex } from "@cambium/primitives";
import { decodeMessage, type RskMessage } from "@cambium/rlpx";
import { vectorPath } from "@cambium/test-utils/vectors";

/**
 * The deployed client checks the body of a block when it reads the message; this node does so when it imports the
 * block. Of such a row only the control shows whether the message itself can be read.
 */
const CHECKED_LATER = /^ERR IllegalArgumentException Transactions trie root validation failed/;

const rows = gunzipSync(readFileSync(vectorPath("rlpx", "wire-messages.tsv.gz")))
  .toString()
  .trimEnd()
  .split("\n")
  .map((line) => line.split("\t") as [name: string, code: string, payload: string, deployed: string]);

/** What the deployed client's reading shows of a message. */
function summaryOf(message: RskMessage): string {
  if (message.type === "networkStatus") {
    const { protocolVersion, networkId, totalDifficulty } = message;
    return `net ${protocolVersion} ${networkId} ${totalDifficulty}`;
  }
  if (message.type === "status") return `n=${message.bestNumber} td=${message.totalDifficulty ?? null}`;
  return "id" in message ? `id=${BigInt.asIntN(64, message.id)}` : "";
}

/** The same, with the difficulty of a Status with code 0x10 as a number. */
function expectedSummary(deployed: string): string {
  const [, kind, ...rest] = deployed.split(" ");
  if (kind !== "net") return rest.join(" ");
  const [version, network, difficulty] = rest;
  const limited = [BigInt(difficulty!), 2n ** 128n - 1n].reduce((a, b) => (a < b ? a : b));
  return `net ${version} ${network} ${limited}`;
}

describe("messages as the deployed client reads them", () => {
  for (const [name, code, payload, deployed] of rows) {
    it(`${name}: ${deployed.slice(0, 60)}`, () => {
      const read = () => decodeMessage(Number.parseInt(code, 16), fromHex(payload));
      if (deployed.startsWith("OK")) assert.equal(summaryOf(read()), expectedSummary(deployed));
      else if (!CHECKED_LATER.test(deployed)) assert.throws(read, { code: "MALFORMED" });
      else if (name.endsWith("(control)")) assert.doesNotThrow(read);
    });
  }
});
