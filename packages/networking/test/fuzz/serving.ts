import assert from "node:assert/strict";
import type { ChainReader } from "@cambium/chain";
import { concatBytes, equalBytes, keccak256 } from "@cambium/primitives";
import { decodeMessage, encodeMessage, RlpxError, type RskMessage, type RskRequest } from "@cambium/rlpx";
import { attempt, type FuzzTarget } from "@cambium/test-utils/fuzz-target";
import { chainOfThree, transfer } from "@cambium/test-utils/mined-chains";
import { NetworkingError } from "../../src/index.js";
import type { ServedName } from "../../src/libp2p/serving/responders.js";
import type { Protocol } from "../../src/libp2p/wire/protocol.js";
import { protocolsOf } from "../../src/libp2p/wire/protocols.js";
import { answerTo } from "../../src/rlpx/answers.js";
import type { ServedSources } from "../../src/serving/served-sources.js";
import { ask } from "../serving/ask.js";

const RSK_MESSAGE = 0x18;
const CHUNK = { from: 0, to: 51_200, complete: true, encoded: Uint8Array.of(0xc0) };

async function sources(): Promise<ServedSources> {
  const chain = await chainOfThree();
  const { encoded } = transfer(1n);
  const best = {
    encoded: chain.blockByNumber(3)!.encode(),
    totalDifficulty: chain.totalDifficulty(chain.best().hash)!,
  };
  return {
    chain,
    pooledTransaction: (hash) => (equalBytes(hash, keccak256(encoded)) ? encoded : undefined),
    earliestBody: () => 0,
    snapshots: {
      status: () => ({ blocks: [best], trieSize: 340 }),
      chunk: (number, from) => (number === 2 && from === 0 ? CHUNK : undefined),
    },
  };
}

const NAMES: readonly ServedName[] = [
  ...(["skeleton", "hashes", "headers", "bodies", "blocks", "txs"] as const),
  ...(["snap-status", "snap-blocks", "snap-chunk"] as const),
];

/** The index of a protocol, and a request. */
async function requests(): Promise<Uint8Array[]> {
  const { chain } = await sources();
  const { hash } = chain.best();
  const examples: Readonly<Record<ServedName, unknown>> = {
    skeleton: { start: 0, count: 10 },
    hashes: [0, 1, 300],
    headers: { hash, count: 3 },
    bodies: [hash],
    blocks: [hash, new Uint8Array(32)],
    txs: [keccak256(transfer(1n).encoded)],
    "snap-status": undefined,
    "snap-blocks": 3,
    "snap-chunk": { blockNumber: 2, from: 0 },
  };
  return NAMES.map((name, i) => concatBytes(Uint8Array.of(i), protocol(chain, name).encodeRequest(examples[name])));
}

function protocol({ network }: ChainReader, name: ServedName): Protocol<unknown, unknown> {
  return protocolsOf(network)[name] as unknown as Protocol<unknown, unknown>;
}

/** A request of each type. */
async function rlpxRequests(): Promise<Uint8Array[]> {
  const { hash } = (await sources()).chain.best();
  const messages: readonly RskMessage[] = [
    { type: "blockHashRequest", id: 1n, height: 2 },
    { type: "blockHeadersRequest", id: 300n, hash, count: 192 },
    { type: "blockRequest", id: 2n, hash },
    { type: "skeletonRequest", id: 2n, start: 0 },
    { type: "bodyRequest", id: 2n, hash },
    { type: "snapStateChunkRequest", id: 2n, blockNumber: 2, from: 0, chunkSize: 50 },
    { type: "snapStatusRequest", id: 2n },
    { type: "snapBlocksRequest", id: 2n, below: 3 },
  ];
  return messages.map((message) => encodeMessage(message).payload);
}

export const targets: Readonly<Record<string, FuzzTarget>> = {
  /** The answer to any request keeps the bounds of its protocol, and its requester can read it. */
  "served-request": {
    seeds: requests,
    async run(input) {
      const served = await sources();
      const name = NAMES[(input[0] ?? 0) % NAMES.length]!;
      const { decodeRequest } = protocol(served.chain, name);
      const asked = attempt(() => decodeRequest(input.subarray(1)), [NetworkingError]);
      if (asked !== undefined) await ask(served, name, asked.value as never);
    },
  },
  /** The same check for requests of deployed nodes. */
  "rlpx-request": {
    seeds: rlpxRequests,
    async run(input) {
      const decoded = attempt(() => decodeMessage(RSK_MESSAGE, input), [RlpxError])?.value;
      if (decoded === undefined || !decoded.type.endsWith("Request")) return;
      const answer = answerTo(decoded as RskRequest, await sources());
      if (answer === undefined) return;
      assert.equal(answer.id, (decoded as RskRequest).id);
      const { code, payload } = encodeMessage(answer);
      assert.deepEqual(decodeMessage(code, payload), answer);
    },
  },
};
