import assert from "node:assert/strict";
import { dirname } from "node:path";
import { keccak256, toHex, utf8 } from "@cambium/primitives";
import {
  decoding,
  type FuzzTarget,
  fileOf,
  jsonTexts,
  PlainError,
  textOf,
  texts,
} from "@cambium/test-utils/fuzz-target";
import { NetworkingError } from "../../src/index.js";
import { parseMultiaddr, parsePeerMultiaddr, placeOf } from "../../src/libp2p/addresses.js";
import { loadNodeKey, NODE_KEY_FILE } from "../../src/node-key.js";
import { parseAddressBlock } from "../../src/scoring/address-block.js";
import { nodeId } from "../../src/scoring/node-id.js";
import { readScoringFile } from "../../src/scoring/scoring-file.js";

const PEER = "16Uiu2HAmSHDcvFHyaVeyGcYP6gDpMhqWs5w3ENeKDq8JfY6xHsyM";
const ADDRESS = `/ip4/192.0.2.1/tcp/30333/p2p/${PEER}`;
const CARD = {
  counters: { INVALID_MESSAGE: 3 },
  score: -5,
  punishments: 1,
  punishedAt: 1_700_000_000_000,
  punishedFor: 60_000,
};

export const targets: Readonly<Record<string, FuzzTarget>> = {
  multiaddr: decoding({
    seeds: () =>
      texts(ADDRESS, "/ip6/2001:db8::1/tcp/1", "/dns4/example.org/tcp/443/wss", "/ip4/127.0.0.1/udp/1/quic-v1"),
    words: ["/ip4/", "/ip6/", "/tcp/", "/p2p/", "/dns/", "/unix/", "/p2p-circuit", "/memory/", "/certhash/", PEER],
    decode: (input) => parseMultiaddr(textOf(input), "--p2p.bootnodes"),
    refusals: [NetworkingError],
    check(address) {
      placeOf(address);
      parseMultiaddr(address.toString(), "");
    },
  }),
  "peer-multiaddr": decoding({
    seeds: () => texts(ADDRESS),
    decode: (input) => parsePeerMultiaddr(textOf(input), "--p2p.bootnodes"),
    refusals: [NetworkingError],
    check: ({ peer }) => nodeId(peer),
  }),
  "peer-id": decoding({
    seeds: () =>
      texts(
        PEER,
        "12D3KooWD3eckifWpRn9wQpMG9R9hX3sD158z7EqHWmweQAJU5SA",
        "QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N",
      ),
    decode: (input) => nodeId(textOf(input)),
    refusals: [],
    check: (id) => assert(id === undefined || /^[0-9a-f]+$/.test(id.hex)),
  }),
  "address-block": decoding({
    seeds: () => texts("192.0.2.0/24", "2001:db8::/32", " 192.0.2.1 ", "::ffff:192.0.2.1/8"),
    decode: (input) => parseAddressBlock(textOf(input)),
    refusals: [NetworkingError],
    check: ({ bits, ip }) => assert(bits === undefined || (bits > 0 && bits <= ip.bytes.length * 8)),
  }),
  "scoring-file": decoding({
    seeds: () =>
      jsonTexts({ version: 1, nodes: [[PEER, CARD]], addresses: [["192.0.2.1", CARD]], banned: ["192.0.2.0/24"] }),
    decode: (input) => readScoringFile(fileOf(input, "scoring.json")),
    refusals: [PlainError, SyntaxError],
    check: ({ nodes, addresses, banned }) =>
      assert(Array.isArray(nodes) && Array.isArray(addresses) && banned.every(isText)),
  }),
  "node-key": {
    seeds: () => texts(`${toHex(keccak256(utf8("key")))}\n`),
    async run(input) {
      const folder = dirname(fileOf(input, NODE_KEY_FILE));
      try {
        assert.equal((await loadNodeKey(folder)).length, 32);
      } catch (error) {
        if (!(error instanceof NetworkingError)) throw error;
      }
    },
  },
};

function isText(value: unknown): boolean {
  return typeof value === "string";
}
