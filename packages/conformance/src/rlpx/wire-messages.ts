import { fromHex } from "@cambium/primitives";
import { decodeMessage, RlpxError, type RskMessage } from "@cambium/rlpx";
import { Comparison } from "../comparison.js";
import type { CaseResult, VectorFile } from "../interface.js";

/**
 * Errors that this node finds later: the deployed client checks the body of a block when it reads the message, this
 * node when it imports the block. In such a row, only the control shows whether the message itself can be read.
 */
const CHECKED_LATER = /^ERR IllegalArgumentException Transactions trie root validation failed/;

/** Tests messages in unusual forms: a line has name, code, payload, and the deployed client's reading, or its error. */
export function* runWireMessages(file: VectorFile): Iterable<CaseResult> {
  for (const line of file.text().trimEnd().split("\n")) {
    const [name, code, payload, deployed] = line.split("\t") as [string, string, string, string];
    if (CHECKED_LATER.test(deployed) && !name.endsWith("(control)")) continue;
    const comparison = new Comparison(name);
    const actual = reading(Number.parseInt(code, 16), fromHex(payload));
    if (deployed.startsWith("OK")) comparison.equal("reading", actual, expectedReading(deployed));
    else comparison.equal("isRead", !isErrorCode(actual), CHECKED_LATER.test(deployed));
    yield comparison.result();
  }
}

/** Returns the deployed client's summary of a message, or the code of the error. */
function reading(code: number, payload: Uint8Array): string {
  try {
    return summaryOf(decodeMessage(code, payload));
  } catch (error) {
    if (error instanceof RlpxError) return error.code;
    throw error;
  }
}

function summaryOf(message: RskMessage): string {
  if (message.type === "networkStatus") {
    const { protocolVersion, networkId, totalDifficulty } = message;
    return `net ${protocolVersion} ${networkId} ${totalDifficulty}`;
  }
  if (message.type === "status") return `n=${message.bestNumber} td=${message.totalDifficulty ?? null}`;
  return "id" in message ? `id=${BigInt.asIntN(64, message.id)}` : "";
}

function isErrorCode(text: string): boolean {
  return /^[A-Z_]+$/.test(text);
}

/** The same, with the difficulty of a Status with code 0x10 as this node limits it. */
function expectedReading(deployed: string): string {
  const [, kind, ...rest] = deployed.split(" ");
  if (kind !== "net") return rest.join(" ");
  const [version, network, difficulty] = rest;
  const [value, limit] = [BigInt(difficulty!), 2n ** 128n - 1n];
  return `net ${version} ${network} ${value < limit ? value : limit}`;
}
