import assert from "node:assert/strict";
import { NETWORKS } from "@cambium/config";
import { settled } from "@cambium/test-utils/turning-clock";
import type { RlpxPeer } from "../../src/rlpx/peer.js";
import { createRlpxRequests, MAX_HELD_BYTES } from "../../src/rlpx/requests.js";
import { MIB } from "../../src/shared/limits.js";

const BODY_BYTES = 8 * MIB;

describe("requests to deployed nodes", () => {
  it("blame a peer that is silent once for all that was asked of it together", async () => {
    const reports: string[] = [];
    const peer = { isReady: true, messagesReceived: 1, session: { request: async () => undefined } };
    const { bodies, headers } = createRlpxRequests({
      network: NETWORKS.local,
      genesisHash: new Uint8Array(32),
      peer: () => peer as unknown as RlpxPeer,
      report: (_, event, detail) => reports.push(`${event} ${detail}`),
    });
    const hashes = Array.from({ length: 32 }, (_, i) => new Uint8Array(32).fill(i));
    for await (const body of bodies("peer", hashes)) assert.equal(body, undefined);
    assert.deepEqual(reports, ["TIMEOUT_MESSAGE bodyRequest"]);
    await assert.rejects(headers("peer", hashes[0]!, 1), { code: "NOT_AVAILABLE" });
    assert.equal(reports.length, 2);
  });

  it("end early, without blame, if a withheld answer makes too many large ones wait", async () => {
    const reports: string[] = [];
    let release!: () => void;
    const withheld = new Promise<void>((resolve) => {
      release = resolve;
    });
    const transactions = [new Uint8Array(BODY_BYTES)];
    const body = { type: "bodyResponse", id: 1n, transactions, uncles: new Uint8Array(0), extension: undefined };
    let asked = 0;
    const request = async () => {
      if (asked++ % 32 === 0) await withheld;
      return body;
    };
    const peer = { isReady: true, messagesReceived: 1, session: { request } } as unknown as RlpxPeer;
    const { bodies } = createRlpxRequests({
      network: NETWORKS.local,
      genesisHash: new Uint8Array(32),
      peer: () => peer,
      report: (_, event) => reports.push(event),
    });
    const hashes = Array.from({ length: 32 }, (_, i) => new Uint8Array(32).fill(i));
    const collect = async () => {
      let count = 0;
      for await (const one of bodies("peer", hashes)) if (one !== undefined) count++;
      return count;
    };
    const first = collect();
    await settled();
    release();
    // The withheld answer is the next one in order, so it is read although the others occupy all the room.
    assert.equal(await first, 1 + MAX_HELD_BYTES / BODY_BYTES);
    // No answer is held any longer, so the next request gets the same number.
    assert.equal(await collect(), 1 + MAX_HELD_BYTES / BODY_BYTES);
    assert.deepEqual(reports, []);
  });
});
