import assert from "node:assert/strict";
import { NETWORKS } from "@cambium/config";
import { equalBytes, keccak256, toHex } from "@cambium/primitives";
import { fuzz } from "@cambium/test-utils/fuzz";
import { fc } from "@cambium/test-utils/properties";
import { assembleBlock, checkBody } from "../../src/block-assembly.js";
import { NetworkingError } from "../../src/index.js";
import {
  decodeAnnouncement,
  decodeGossipBlock,
  decodeGossipTransactions,
  encodeAnnouncement,
  packTransactions,
} from "../../src/libp2p/wire/gossip.js";
import type { Protocol, ProtocolName } from "../../src/libp2p/wire/protocol.js";
import { protocolsOf } from "../../src/libp2p/wire/protocols.js";
import { blockSample, compressed, rawList } from "./samples.js";

const blocks = fc.sample(blockSample, { numRuns: 8, seed: 1 });
const { header, body, encoded, network } = blocks.find((block) => block.header.version === 2)!;
const transactions = fc.sample(rawList, { numRuns: 5, seed: 1 });
const protocols = protocolsOf(network);
const HASH = header.hash;

/** An example of each protocol: request and item. */
const status = {
  chainId: 33,
  genesisHash: HASH,
  bestNumber: 1000,
  bestHash: HASH,
  bestParentHash: HASH,
  totalDifficulty: 1n << 70n,
  earliestBody: 0,
  flags: 1,
  listenPort: 30333,
  clientId: "cambium/0.1",
};
const skeleton = [0, 192, 300].map((number) => ({ number, hash: HASH }));
const snapshotBlock = { encoded, totalDifficulty: 1n << 90n };
const chunk = { blockNumber: 5000, from: 0, to: 51_200, complete: true, encoded: transactions[0]! };
const EXAMPLES: Readonly<Partial<Record<ProtocolName, readonly [unknown, unknown]>>> = {
  status: [status, status],
  skeleton: [{ start: 5, count: 10 }, skeleton],
  hashes: [
    [1, 2, 300],
    [HASH, undefined, HASH],
  ],
  headers: [{ hash: HASH, count: 3 }, header],
  bodies: [[HASH, HASH], body],
  blocks: [[HASH], encoded],
  txs: [[keccak256(transactions[0]!)], transactions[0]],
  "snap-status": [undefined, { blocks: [snapshotBlock, snapshotBlock], trieSize: 340 }],
  "snap-blocks": [300, snapshotBlock],
  "snap-chunk": [chunk, chunk],
};

/** Only errors of this package: others are let through to the fuzzer as what it does not know. */
function only(run: () => void, ...codes: string[]): void {
  try {
    run();
  } catch (error) {
    if (error instanceof NetworkingError && codes.includes(error.code)) throw error;
    throw new Error("not the error of a decoder", { cause: error });
  }
}

/** Messages with parts that are read over: later fields of a status, the size in a request for a chunk. */
const LENIENT = { requests: ["status", "snap-chunk"], answers: ["status"] };

describe("messages of random and mutated bytes", () => {
  for (const [name, [request, item]] of Object.entries(EXAMPLES)) {
    const protocol = protocols[name as ProtocolName] as Protocol<unknown, unknown>;

    it(`${name}: requests`, () => {
      fuzz([protocol.encodeRequest(request)], (data) =>
        only(() => {
          const decoded = protocol.decodeRequest(data);
          assert(protocol.items(decoded) > 0);
          assert(LENIENT.requests.includes(name) || equalBytes(protocol.encodeRequest(decoded), data));
        }, "MALFORMED"),
      );
    });

    it(`${name}: answers`, () => {
      fuzz([protocol.encodeItem(item)], (data) =>
        only(() => {
          const decoded = protocol.decodeItem(data, request, 0);
          assert(LENIENT.answers.includes(name) || equalBytes(protocol.encodeItem(decoded), data));
        }, "MALFORMED"),
      );
    });
  }

  it("goodbye", () => {
    const { goodbye } = protocolsOf(NETWORKS.main);
    fuzz([goodbye.encodeRequest(300)], (data) => only(() => void goodbye.decodeRequest(data), "MALFORMED"));
  });

  it("gossip", () => {
    const announcement = { hash: HASH, number: 70_000, totalDifficulty: 1n << 100n };
    fuzz([encodeAnnouncement(announcement)], (data) =>
      only(() => assert(equalBytes(encodeAnnouncement(decodeAnnouncement(data)), data)), "MALFORMED"),
    );
    fuzz([...packTransactions(transactions), transactions[0]!], (data) =>
      only(() => {
        const decoded = decodeGossipTransactions(data);
        assert(decoded.length > 0 && decoded.length <= 64);
      }, "MALFORMED"),
    );
    fuzz([encoded], (data) => only(() => void decodeGossipBlock(data), "MALFORMED"));
  });

  it("bodies: only the right one matches its header", () => {
    const short = compressed({ network, header });
    let passed = 0;
    fuzz([protocols.bodies.encodeItem(body)], (data) =>
      only(
        () => {
          const decoded = protocols.bodies.decodeItem(data, [HASH], 0);
          checkBody(short, decoded, network);
          assert.equal(toHex(assembleBlock(short, decoded)), toHex(encoded));
          passed++;
        },
        "MALFORMED",
        "INVALID_ANSWER",
      ),
    );
    assert(passed > 0);
  });
});
