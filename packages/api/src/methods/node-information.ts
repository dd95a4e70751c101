import { chainHashrate } from "@cambium/miner";
import { keccak256, toData, toQuantity } from "@cambium/primitives";
import { servesTools } from "../compatibility.js";
import { defineMethod, type MethodDefinition, required } from "../definition/method.js";
import { chainConfiguration } from "../objects/chain-configuration.js";
import { JsonText } from "../objects/json-text.js";
import { syncStatusObject } from "../objects/sync-status.js";
import { SHA3_INPUT } from "../params/value-types.js";
import { arrayOf, BYTES, BYTES_32, QUANTITY, resource, TEXT, TRUTH } from "../schemas/values.js";

/** Highest version of the chain's wire capability: `spec/09 §7.2`. */
const PROTOCOL_VERSION = 62;

/** `web3`, `net`, `rpc` and the methods of `eth` about the node itself (`spec/09 §7.1`, `§7.2`, `§2.2`). */
export const NODE_INFORMATION_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "web3_clientVersion",
    summary: "Name and version of the node software",
    params: [],
    result: TEXT,
    reads: "chain",
    handler: ({ clientVersion }) => clientVersion,
  }),
  defineMethod({
    name: "web3_sha3",
    summary: "Keccak-256 hash of bytes",
    params: [required("data", SHA3_INPUT)],
    result: BYTES_32,
    reads: "chain",
    handler: (_parts, [data]) => toData(keccak256(data)),
  }),
  defineMethod({
    name: "net_version",
    summary: "Chain id as a decimal string",
    params: [],
    result: TEXT,
    reads: "chain",
    handler: ({ chain }) => String(chain.network.chainId),
  }),
  defineMethod({
    name: "net_listening",
    summary: "Whether the node listens for peers; true for a node without them whose compatibility is `development`",
    params: [],
    result: TRUTH,
    // Remix considers a node unreachable that does not listen.
    handler: (parts) => parts.peers?.isListening() ?? servesTools(parts),
  }),
  defineMethod({
    name: "net_peerCount",
    summary: "Number of connected peers",
    params: [],
    result: QUANTITY,
    handler: ({ peers }) => toQuantity(peers?.list().length ?? 0),
  }),
  defineMethod({
    name: "net_peerList",
    summary: "One line of text for each connected peer",
    params: [],
    result: arrayOf(TEXT),
    handler: ({ peers }) => peers?.list() ?? [],
  }),
  defineMethod({
    name: "net_readiness",
    summary:
      "What the node is doing, with the reason and the remedy, as `/ready` says it; times in seconds, numbers are JSON numbers",
    params: [],
    result: resource("Readiness"),
    needs: "readiness",
    handler: ({ readiness }) => readiness!(),
  }),
  defineMethod({
    name: "rpc_modules",
    summary: "Versions of the enabled modules, by name",
    params: [],
    result: { type: "object", additionalProperties: TEXT },
    handler: ({ served }) => served,
  }),
  defineMethod({
    name: "eth_chainId",
    summary: "Chain id",
    params: [],
    result: BYTES,
    reads: "chain",
    // Two digits per byte, unlike every other number.
    handler: ({ chain }) => `0x${chain.network.chainId.toString(16).padStart(2, "0")}`,
  }),
  defineMethod({
    name: "eth_config",
    summary:
      "The chain, its upgrades and native contracts, and limits of requests, as EIP-7910 with heights instead of times",
    params: [],
    result: resource("ChainConfiguration"),
    reads: "chain",
    handler: (parts) => chainConfiguration(parts),
  }),
  defineMethod({
    name: "eth_protocolVersion",
    summary: "Version of the peer protocol",
    params: [],
    result: QUANTITY,
    reads: "chain",
    handler: () => toQuantity(PROTOCOL_VERSION),
  }),
  defineMethod({
    name: "chain_protocolVersion",
    summary: "Version of the peer protocol",
    params: [],
    result: QUANTITY,
    reads: "chain",
    aliases: ["rsk_protocolVersion"],
    handler: () => toQuantity(PROTOCOL_VERSION),
  }),
  defineMethod({
    name: "eth_netHashrate",
    summary: "Hash rate of the whole network over the last hour in hashes per second; a JSON number",
    params: [],
    result: { type: "integer" },
    example: "written",
    handler: ({ chain }) => new JsonText(chainHashrate(chain, Math.floor(Date.now() / 1000), () => true).toString()),
  }),
  defineMethod({
    name: "eth_syncing",
    summary: "Progress of synchronisation, or false if the node is synchronised",
    params: [],
    result: { anyOf: [resource("SyncStatus"), { const: false }] },
    handler: (parts) => syncStatusObject(parts.syncStatus()),
  }),
  defineMethod({
    name: "eth_blockNumber",
    summary: "Number of the best block",
    params: [],
    result: QUANTITY,
    reads: "chain",
    handler: ({ chain }) => toQuantity(chain.best().header.number),
  }),
];
