import assert from "node:assert/strict";
import { encodeRlp, equalBytes, keccak256, RawRlp, type RlpInput } from "@cambium/primitives";
import { assertSameBytes, attempt, decoding, errorsWithCode, type FuzzTarget } from "@cambium/test-utils/fuzz-target";
import { orderedListRoot } from "@cambium/trie";
import { assembleBlock, checkBody } from "../../src/block-assembly.js";
import { NetworkingError } from "../../src/index.js";
import {
  decodeAnnouncement,
  decodeGossipBlock,
  decodeGossipTransactions,
  encodeAnnouncement,
  packTransactions,
} from "../../src/libp2p/wire/gossip.js";
import type { Protocol } from "../../src/libp2p/wire/protocol.js";
import type { ProtocolName } from "../../src/libp2p/wire/protocols.js";
import { protocolsOf } from "../../src/libp2p/wire/protocols.js";
import { compressed, sampleHeader } from "../wire/samples.js";

const refusals = [errorsWithCode(NetworkingError, "MALFORMED")];
const TRANSACTION = encodeRlp([Uint8Array.of(1), new Uint8Array(70)]);
const NO_UNCLES = encodeRlp([]);

/** A block of a list that is no transaction, with a header of the latest version. */
function sample() {
  const { network, header } = sampleHeader(3, {
    transactionsRoot: orderedListRoot([TRANSACTION], "new"),
    unclesHash: keccak256(NO_UNCLES),
  });
  const lists: RlpInput[] = [[new RawRlp(TRANSACTION)], new RawRlp(NO_UNCLES)];
  const body = {
    hash: header.hash,
    transactions: [TRANSACTION],
    uncles: NO_UNCLES,
    extension: header.encodeExtension(),
  };
  return { network, header, body, encoded: encodeRlp([new RawRlp(header.encode("full")), ...lists]) };
}

const { network, header, body, encoded } = sample();
const HASH = header.hash;
const protocols = protocolsOf(network);

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
const chunk = { blockNumber: 5000, from: 0, to: 51_200, complete: true, encoded: TRANSACTION };
const announcement = { hash: HASH, number: 70_000, totalDifficulty: 1n << 100n };

/** A request and an item of its answer. */
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
  txs: [[keccak256(TRANSACTION)], TRANSACTION],
  "snap-status": [undefined, { blocks: [snapshotBlock, snapshotBlock], trieSize: 340 }],
  "snap-blocks": [300, snapshotBlock],
  "snap-chunk": [chunk, chunk],
};
/** Messages with ignored parts: later fields of a status, the size in a request for a chunk. */
const LENIENT = { requests: ["status", "snap-chunk"], answers: ["status"] };

function requestsOf(name: string, protocol: Protocol<unknown, unknown>, example: unknown): FuzzTarget {
  return decoding({
    seeds: () => [protocol.encodeRequest(example)],
    decode: (input) => ({ request: protocol.decodeRequest(input) }),
    refusals,
    check({ request }, input) {
      assert(protocol.items(request) > 0);
      if (!LENIENT.requests.includes(name)) assertSameBytes(protocol.encodeRequest(request), input);
    },
  });
}

function answersOf(name: string, protocol: Protocol<unknown, unknown>, request: unknown, example: unknown): FuzzTarget {
  return decoding({
    seeds: () => [protocol.encodeItem(example)],
    decode: (input) => ({ item: protocol.decodeItem(input, request, 0) }),
    refusals,
    check({ item }, input) {
      if (!LENIENT.answers.includes(name)) assertSameBytes(protocol.encodeItem(item), input);
    },
  });
}

function protocolTargets(): [string, FuzzTarget][] {
  return Object.entries(EXAMPLES).flatMap(([name, [request, item]]) => {
    const protocol = protocols[name as ProtocolName] as Protocol<unknown, unknown>;
    return [
      [`${name}-request`, requestsOf(name, protocol, request)],
      [`${name}-answer`, answersOf(name, protocol, request, item)],
    ];
  });
}

export const targets: Readonly<Record<string, FuzzTarget>> = {
  ...Object.fromEntries(protocolTargets()),
  goodbye: decoding({
    seeds: () => [protocols.goodbye.encodeRequest(300)],
    decode: (input) => ({ reason: protocols.goodbye.decodeRequest(input) }),
    refusals,
  }),
  "gossip-block": decoding({ seeds: () => [encoded], decode: decodeGossipBlock, refusals }),
  "gossip-announcement": decoding({
    seeds: () => [encodeAnnouncement(announcement)],
    decode: decodeAnnouncement,
    refusals,
    check: (decoded, input) => assertSameBytes(encodeAnnouncement(decoded), input),
  }),
  "gossip-transactions": decoding({
    seeds: () => [TRANSACTION, ...packTransactions([TRANSACTION, TRANSACTION])],
    decode: decodeGossipTransactions,
    refusals,
    check: ({ length }) => assert(length > 0 && length <= 64),
  }),
  /** A header matches only its own body. */
  "body-of-header": decoding({
    seeds: () => [protocols.bodies.encodeItem(body)],
    decode: (input) => protocols.bodies.decodeItem(input, [HASH], 0),
    refusals,
    check(decoded) {
      const short = compressed({ network, header });
      const checked = attempt(() => checkBody(short, decoded, network), [NetworkingError]);
      assert(checked === undefined || equalBytes(assembleBlock(short, decoded), encoded));
    },
  }),
};
