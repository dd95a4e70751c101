import { randomBytes } from "node:crypto";
import { fromHex, platformClock, secp256k1 } from "@cambium/primitives";
import { decodeMessage, dialRlpx, encodeMessage, type RlpxConnection, type RskMessage } from "@cambium/rlpx";
import { sleep } from "@cambium/test-utils/rpc-client";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { type InteropNode, tipOf } from "./interop-node.js";
import type { ReferenceNode } from "./reference-node.js";
import { waitFor } from "./wait-for.js";

/** Settings of a deployed node that reads any number of messages from a peer. */
export const UNLIMITED_INTAKE = { "peer.messageQueue.thresholdPerMinutePerPeer": 1_000_000 };
const RSK = { name: "rsk", version: 62 };
/** Number of blocks that are sent before the node has imported the earlier ones; its queue holds 2000 messages. */
const FEED_BATCH = 400;
/** Time limit in seconds for a batch, on a busy machine. */
const FEED_SECONDS = 600;
/** Number of requests that wait for an answer; a deployed node sends one message every 10 ms (`spec/07 §A.2.4`). */
const IN_FLIGHT = 8;
/** Milliseconds after which a deployed node without an answer has dropped the request. */
const ANSWER_LIMIT = 5_000;
const MINUTE = 60_000;

/** Connects without Status, which a deployed node does not need, and without the pace of a session. */
async function connect(node: InteropNode, onMessage: (message: RskMessage) => void): Promise<RlpxConnection> {
  const privateKey = randomBytes(32);
  const connection = await dialRlpx({
    identity: { privateKey, nodeId: secp256k1.publicKey(privateKey) },
    hello: { clientId: "test", capabilities: [RSK], listenPort: 0 },
    requires: [RSK],
    clock: platformClock,
    logger: SILENT,
    host: "127.0.0.1",
    port: node.p2pPort,
    remoteId: fromHex(node.id),
  });
  connection.start({
    onMessage: (code, payload) => onMessage(decodeMessage(code, payload)),
    onClose: () => undefined,
  });
  return connection;
}

function send(connection: RlpxConnection, message: RskMessage): void {
  const { code, payload } = encodeMessage(message);
  connection.send(code, payload);
}

/**
 * Brings a node with {@link UNLIMITED_INTAKE} to the end of a chain, given as the RLP of its blocks from number 1 on.
 */
export async function feed(node: ReferenceNode, blocks: readonly Uint8Array[]): Promise<void> {
  const connection = await connect(node, () => undefined);
  for (let start = 0; start < blocks.length; start += FEED_BATCH) {
    const batch = blocks.slice(start, start + FEED_BATCH);
    for (const block of batch) {
      send(connection, { type: "block", block });
      await connection.drained();
    }
    const end = start + batch.length;
    await waitFor(
      `${node.name} imports block ${end}`,
      () => tipOf(node),
      ({ number }) => number >= end,
      FEED_SECONDS,
    );
  }
  connection.destroy();
}

/**
 * Returns how many bodies a node serves to a client that never pauses, in one minute of the clock: the time for which a
 * deployed node counts messages (`spec/07 §B.2`).
 */
export async function bodiesServedInMinute(node: InteropNode, hashes: readonly Uint8Array[]): Promise<number> {
  const waiting = new Map<bigint, number>();
  let served = 0;
  const connection = await connect(node, (message) => {
    if (message.type === "bodyResponse" && waiting.delete(message.id)) served++;
  });
  await sleep(MINUTE - (Date.now() % MINUTE));
  const end = performance.now() + MINUTE;
  for (let id = 1n; performance.now() < end; ) {
    const now = performance.now();
    for (const [request, sentAt] of waiting) if (now - sentAt > ANSWER_LIMIT) waiting.delete(request);
    if (waiting.size < IN_FLIGHT) {
      waiting.set(id, now);
      send(connection, { type: "bodyRequest", id, hash: hashes[Number(id) % hashes.length]! });
      id++;
    } else await sleep(5);
  }
  connection.destroy();
  return served;
}
