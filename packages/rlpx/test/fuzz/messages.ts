import assert from "node:assert/strict";
import { concatBytes, encodeRlp, keccak256, numberToBytes, toHex, utf8 } from "@cambium/primitives";
import {
  assertSameBytes,
  attempt,
  decoding,
  errorsWithCode,
  type FuzzTarget,
  fileOf,
  jsonTexts,
  PlainError,
  textOf,
  texts,
} from "@cambium/test-utils/fuzz-target";
import { parseEnode } from "../../src/discovery/enode.js";
import { nodeFile } from "../../src/discovery/node-file.js";
import {
  type DiscoveryMessage,
  decodeDiscoveryPacket,
  encodeDiscoveryPacket,
  recoverDiscoverySender,
} from "../../src/discovery/packets.js";
import { RlpxError } from "../../src/errors.js";
import { decodeMessage, encodeMessage } from "../../src/rsk/encoding.js";
import type { RskMessage } from "../../src/rsk/messages.js";
import { RANGE_VERSION } from "../../src/rsk/versions.js";
import { DISCONNECT_REASONS, decodeDisconnect, encodeDisconnect } from "../../src/transport/disconnect.js";
import { decodeHello, encodeHello } from "../../src/transport/hello.js";
import { agreementKey } from "../../src/transport/key-agreement.js";
import { catalogue } from "../rsk/recordings.js";

const refusals = [errorsWithCode(RlpxError, "MALFORMED")];
const HASH = keccak256(Uint8Array.of(1));
const LIST = encodeRlp([Uint8Array.of(1), new Uint8Array(70)]);
const BLOCK = encodeRlp([[HASH], [[numberToBytes(3)]], []]);
const blocks = [{ hash: HASH, number: 70_000 }];
const transactions = [LIST, LIST];

/** One message of each type. */
const MESSAGES: readonly RskMessage[] = [
  {
    type: "networkStatus",
    protocolVersion: 62,
    networkId: 779,
    totalDifficulty: 1n << 70n,
    bestHash: HASH,
    genesisHash: HASH,
  },
  { type: "status", bestNumber: 5, bestHash: HASH, bestParentHash: HASH, totalDifficulty: 1n << 90n },
  { type: "status", bestNumber: 5, bestHash: HASH },
  { type: "status", bestNumber: 5, bestHash: HASH, bestParentHash: HASH, totalDifficulty: 3n, earliestBlock: 4 },
  { type: "blockRange", earliest: 4, latest: 5, latestHash: HASH },
  { type: "block", block: BLOCK },
  { type: "getBlock", hash: HASH },
  { type: "newBlockHashes", blocks },
  { type: "transactions", transactions },
  { type: "newBlockHash", hash: HASH },
  { type: "blockHashRequest", id: 1n, height: 300 },
  { type: "blockHashResponse", id: 1n, hash: HASH },
  { type: "blockHeadersRequest", id: 300n, hash: HASH, count: 192 },
  { type: "blockHeadersResponse", id: 300n, headers: transactions },
  { type: "blockRequest", id: 2n, hash: HASH },
  { type: "blockResponse", id: 2n, block: BLOCK },
  { type: "skeletonRequest", id: 2n, start: 192 },
  { type: "skeletonResponse", id: 2n, blocks },
  { type: "bodyRequest", id: 2n, hash: HASH },
  { type: "bodyResponse", id: 2n, transactions, uncles: LIST, extension: LIST },
  { type: "snapStateChunkRequest", id: 2n, blockNumber: 5000, from: 0, chunkSize: 50 },
  { type: "snapStateChunkResponse", id: 2n, encoded: LIST, blockNumber: 5000, from: 0, to: 51_200, complete: true },
  { type: "snapStatusRequest", id: 2n },
  { type: "snapStatusResponse", id: 2n, blocks: [BLOCK], totalDifficulties: [300n], trieSize: 340 },
  { type: "snapBlocksRequest", id: 2n, below: 400 },
  { type: "snapBlocksResponse", id: 2n, blocks: [BLOCK], totalDifficulties: [300n] },
];

function messagesOf(code: number): FuzzTarget {
  return decoding({
    share: 2,
    seeds: () =>
      [...MESSAGES.map(encodeMessage), ...catalogue()]
        .filter((message) => message.code === code)
        .map(({ payload }) => payload),
    decode: (input) => decodeMessage(code, input, RANGE_VERSION),
    refusals: [errorsWithCode(RlpxError, "MALFORMED"), errorsWithCode(RlpxError, "UNKNOWN_MESSAGE")],
    // More forms are read than written: an encoded message decodes to the same.
    check(message) {
      const encoded = encodeMessage(message);
      assert.equal(encoded.code, code);
      assert.deepEqual(decodeMessage(code, encoded.payload, RANGE_VERSION), message);
    },
  });
}

const KEY = keccak256(utf8("discovery"));
const ID = agreementKey(KEY).publicKey;
const ENDPOINT = { host: "192.0.2.1", udpPort: 5050, tcpPort: 5051 };
const ENVELOPE = { messageId: "12345678-1234-4234-8234-123456789abc", networkId: 30 };
const PACKETS: readonly DiscoveryMessage[] = [
  { kind: "ping", from: ENDPOINT, to: ENDPOINT, ...ENVELOPE },
  { kind: "pong", from: ENDPOINT, to: ENDPOINT, ...ENVELOPE },
  { kind: "findNode", nodeId: ID, ...ENVELOPE },
  { kind: "neighbors", nodes: [{ ...ENDPOINT, nodeId: ID }], ...ENVELOPE },
];
const HASH_BYTES = 32;

const ENODE = `enode://${toHex(ID)}@192.0.2.1:5050?discport=5051`;

export const targets: Readonly<Record<string, FuzzTarget>> = {
  "network-status": messagesOf(0x10),
  message: messagesOf(0x18),
  hello: decoding({
    seeds: () => [
      encodeHello({
        p2pVersion: 4,
        clientId: "test",
        capabilities: [{ name: "rsk", version: 62 }],
        listenPort: 5050,
        nodeId: ID,
      }),
    ],
    decode: decodeHello,
    refusals,
    check: (hello) => assert.deepEqual(decodeHello(encodeHello(hello)), hello),
  }),
  disconnect: decoding({
    seeds: () => Object.values(DISCONNECT_REASONS).map(encodeDisconnect),
    decode: decodeDisconnect,
    refusals,
    check: (reason, input) => assertSameBytes(encodeDisconnect(reason), input),
  }),
  /** Inputs lack the hash of the packet, which no mutation would keep right; packets with a wrong hash are refused. */
  discovery: decoding({
    seeds: () => PACKETS.map((message) => encodeDiscoveryPacket(message, KEY).subarray(HASH_BYTES)),
    words: [ENVELOPE.messageId],
    decode(input) {
      assert.equal(
        attempt(() => decodeDiscoveryPacket(input), refusals),
        undefined,
      );
      const packet = concatBytes(keccak256(input), input);
      const message = decodeDiscoveryPacket(packet);
      recoverDiscoverySender(packet);
      return message;
    },
    refusals,
    check(message) {
      assert.deepEqual(decodeDiscoveryPacket(encodeDiscoveryPacket(message, KEY)), message);
    },
  }),
  enode: decoding({
    seeds: () => texts(ENODE, ENODE.replace("192.0.2.1", "[2001:db8::1]"), ENODE.replace("192.0.2.1", "example.org")),
    decode: (input) => parseEnode(textOf(input), "--bootnodes"),
    refusals: [RlpxError],
    check({ id, tcpPort, udpPort }) {
      assert.equal(id.length, 64);
      assert([tcpPort, udpPort].every((port) => port >= 0 && port <= 65535));
    },
  }),
  "node-file": decoding({
    seeds: () =>
      jsonTexts({ version: 1, nodes: [{ id: "ab".repeat(64), ip: "192.0.2.1", udpPort: 1, tcpPort: 65535 }] }, []),
    decode: (input) => nodeFile(fileOf(input, "nodes.json")).read(),
    refusals: [PlainError, SyntaxError],
  }),
};
