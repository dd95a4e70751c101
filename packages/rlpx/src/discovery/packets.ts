import {
  concatBytes,
  encodeRlp,
  equalBytes,
  keccak256,
  numberToBytes,
  type RlpInput,
  type RlpItem,
  secp256k1,
  utf8,
} from "@cambium/primitives";
import { RlpxError } from "../errors.js";
import { malformed } from "../rlp.js";
import { dataOf, elementsIn, firstElement, intIn, longIn, tupleIn } from "../tolerant-rlp.js";

// UDP packets of the deployed network's discovery (spec/07 §A.4):
// packet = mdc(32) || signature(65) || type(1) || RLP list; mdc and signature cover what follows them.

/** Bytes of the largest packet that is read: the receive buffer of deployed nodes. */
export const MAX_PACKET = 8192;
/** Bytes of a node id: the uncompressed public key without its prefix. */
const NODE_ID_BYTES = 64;

const MDC_BYTES = 32;
const SIGNATURE_BYTES = 65;
const TYPE_OFFSET = MDC_BYTES + SIGNATURE_BYTES;
const MIN_PACKET = TYPE_OFFSET + 1;

const MAX_NETWORK_ID = 0xffffffff;
/** Maximum number of elements in a message; elements of later versions are ignored. */
const MAX_ITEMS = 4;
const ENDPOINT_ITEMS = 3;
/** Maximum number of nodes, more than fit in a packet. */
const MAX_NODES = 128;
/** Pattern of a UUID of version 4, in either case. The variant is not checked, as in the deployed node. */
const MESSAGE_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const MESSAGE_ID_BYTES = 36;

/**
 * An address as its node states it: the host is any text, for example a name that only its owner can resolve. A port
 * may be too large.
 */
export interface Endpoint {
  host: string;
  udpPort: number;
  tcpPort: number;
}

export interface Neighbor extends Endpoint {
  /** Node id, 64 bytes. */
  nodeId: Uint8Array;
}

interface Envelope {
  /** Message id: a UUID of version 4, in its received case. */
  messageId: string;
  /** P2P network id; old nodes omit it. */
  networkId?: number;
}

/** Both endpoints are the sender's own. A pong has the message id of its ping. */
export interface PingOrPong extends Envelope {
  kind: "ping" | "pong";
  from: Endpoint;
  to: Endpoint;
}

/** Asks for the nodes closest to the sender, whose own id it carries. */
export interface FindNode extends Envelope {
  kind: "findNode";
  /** Target id, 64 bytes that are not checked. */
  nodeId: Uint8Array;
}

/** Answer to a FindNode, with its message id. */
export interface Neighbors extends Envelope {
  kind: "neighbors";
  nodes: readonly Neighbor[];
}

export type DiscoveryMessage = PingOrPong | FindNode | Neighbors;

const TYPES: Readonly<Record<DiscoveryMessage["kind"], number>> = { ping: 1, pong: 2, findNode: 3, neighbors: 4 };
const KINDS = new Map(Object.entries(TYPES).map(([kind, type]) => [type, kind as DiscoveryMessage["kind"]]));

/** Bytes that are not UTF-8 are replaced, as in the deployed node. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * A signed packet. Signatures are deterministic, so equal messages give equal packets. Throws {@link RlpxError}
 * `TOO_LARGE`.
 */
export function encodeDiscoveryPacket(message: DiscoveryMessage, privateKey: Uint8Array): Uint8Array {
  const signed = concatBytes(Uint8Array.of(TYPES[message.kind]), encodeRlp(itemsOf(message)));
  const limit = MAX_PACKET - TYPE_OFFSET;
  if (signed.length > limit)
    throw new RlpxError({ code: "TOO_LARGE", what: message.kind, bytes: signed.length, limit });
  const { signature, recovery } = secp256k1.sign(keccak256(signed), privateKey);
  const rest = concatBytes(signature, Uint8Array.of(recovery), signed);
  return concatBytes(keccak256(rest), rest);
}

function itemsOf(message: DiscoveryMessage): RlpInput[] {
  const { messageId, networkId } = message;
  const last = networkId === undefined ? [] : [numberToBytes(networkId)];
  return [...bodyOf(message), utf8(messageId), ...last];
}

function bodyOf(message: DiscoveryMessage): RlpInput[] {
  if (message.kind === "findNode") return [message.nodeId];
  if (message.kind === "neighbors") return [message.nodes.map(itemsOfNeighbor)];
  return [itemsOfEndpoint(message.from), itemsOfEndpoint(message.to)];
}

function itemsOfEndpoint({ host, udpPort, tcpPort }: Endpoint): RlpInput[] {
  return [utf8(host), numberToBytes(udpPort), numberToBytes(tcpPort)];
}

function itemsOfNeighbor(node: Neighbor): RlpInput[] {
  return [...itemsOfEndpoint(node), node.nodeId];
}

/** Returns how many of `nodes`, from the first on, fit in a Neighbors packet of at most `limit` bytes. */
export function countFitting(nodes: readonly Neighbor[], limit: number): number {
  const empty: Neighbors = {
    kind: "neighbors",
    nodes: [],
    messageId: "0".repeat(MESSAGE_ID_BYTES),
    networkId: MAX_NETWORK_ID,
  };
  // Up to two more bytes of list prefix, for the list of nodes and for the message.
  let bytes = MIN_PACKET + encodeRlp(itemsOf(empty)).length + 4;
  const full = nodes.findIndex((node) => (bytes += encodeRlp(itemsOfNeighbor(node)).length) > limit);
  return full < 0 ? nodes.length : full;
}

/**
 * Checks the hash of a packet and decodes its message. The signature is not read ({@link recoverDiscoverySender}).
 * Reads everything that the deployed node reads: the first endpoint may have any form. Throws {@link RlpxError}
 * `MALFORMED`.
 */
export function decodeDiscoveryPacket(packet: Uint8Array): DiscoveryMessage {
  if (packet.length < MIN_PACKET) throw malformed("packet", `${packet.length} bytes, fewer than ${MIN_PACKET}`);
  if (packet.length > MAX_PACKET) throw malformed("packet", `${packet.length} bytes, more than ${MAX_PACKET}`);
  const kind = KINDS.get(packet[TYPE_OFFSET]!);
  if (kind === undefined) throw malformed("packet", `type ${packet[TYPE_OFFSET]} is unknown`);
  if (!hasItsHash(packet)) throw malformed("packet", "its hash is wrong");
  const items = elementsIn(firstElement(packet.subarray(MIN_PACKET), kind), kind, MAX_ITEMS);
  switch (kind) {
    case "findNode":
      return { kind, nodeId: dataOf(itemAt(items, 0, kind)), ...readEnvelope(items, 1, kind) };
    case "neighbors":
      return { kind, nodes: readNeighbors(itemAt(items, 0, kind)), ...readEnvelope(items, 1, kind) };
    default: {
      const [first, second] = [itemAt(items, 0, kind), itemAt(items, 1, kind)];
      const from = endpointOf(first.isList ? elementsIn(first, kind, ENDPOINT_ITEMS) : []);
      return { kind, from, to: readEndpoint(second, kind), ...readEnvelope(items, 2, kind) };
    }
  }
}

/** Returns the id (64 bytes) of the node that signed a packet. Throws {@link RlpxError} `MALFORMED`. */
export function recoverDiscoverySender(packet: Uint8Array): Uint8Array {
  const signature = packet.subarray(MDC_BYTES, TYPE_OFFSET - 1);
  const recovery = packet[TYPE_OFFSET - 1]!;
  const hash = keccak256(packet.subarray(TYPE_OFFSET));
  const sender = recovery > 1 ? undefined : secp256k1.recover(hash, signature, recovery);
  if (sender === undefined) throw malformed("packet", "its signature has no key");
  return sender;
}

function hasItsHash(packet: Uint8Array): boolean {
  return equalBytes(keccak256(packet.subarray(MDC_BYTES)), packet.subarray(0, MDC_BYTES));
}

function itemAt(items: readonly RlpItem[], index: number, what: string): RlpItem {
  const item = items[index];
  if (item === undefined) throw malformed(what, `only ${items.length} items`);
  return item;
}

function readEnvelope(items: readonly RlpItem[], index: number, what: string): Envelope {
  const messageId = decoder.decode(dataOf(itemAt(items, index, what)));
  if (!MESSAGE_ID.test(messageId)) throw malformed(what, "its message id is not a UUID of version 4");
  const network = items[index + 1];
  if (network === undefined) return { messageId };
  return { messageId, networkId: Number(longIn(network) & BigInt(MAX_NETWORK_ID)) };
}

/** Reads an endpoint of exactly three elements. */
function readEndpoint(item: RlpItem, what: string): Endpoint {
  const items = elementsIn(item, what, ENDPOINT_ITEMS + 1);
  if (items.length !== ENDPOINT_ITEMS) throw malformed(what, "an endpoint with other than 3 items");
  return endpointOf(items);
}

/** Reads an endpoint; missing elements are empty. */
function endpointOf([host, udpPort, tcpPort]: readonly RlpItem[]): Endpoint {
  return {
    host: host === undefined ? "" : decoder.decode(dataOf(host)),
    udpPort: udpPort === undefined ? 0 : intIn(udpPort),
    tcpPort: tcpPort === undefined ? 0 : intIn(tcpPort),
  };
}

/** Reads neighbours. Omits nodes whose id has another length, because they cannot be contacted. */
function readNeighbors(item: RlpItem): Neighbor[] {
  const nodes = elementsIn(item, "neighbors", MAX_NODES).map(readNeighbor);
  return nodes.filter(({ nodeId }) => nodeId.length === NODE_ID_BYTES);
}

/** Reads a neighbour. If there are only three elements, the second is the port of both protocols. */
function readNeighbor(item: RlpItem): Neighbor {
  const items = elementsIn(item, "neighbors", 4);
  const [host, udpPort, third] = tupleIn(item, "neighbors", 3) as [RlpItem, RlpItem, RlpItem];
  const [tcpPort, id] = items.length === 3 ? [udpPort, third] : [third, items[3]!];
  return { ...endpointOf([host, udpPort, tcpPort]), nodeId: dataOf(id) };
}
