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
import { malformed, readBytes, readList, readTuple, readUint, readWholeList } from "../rlp.js";

// UDP packets of the deployed network's discovery (spec/07 §A.4):
// packet = mdc(32) || signature(65) || type(1) || RLP list; mdc and signature cover what follows them.

/** Bytes of the largest packet that is read: the receive buffer of deployed nodes. */
export const MAX_PACKET = 8192;
/** Bytes of a node id: the uncompressed public key without its prefix. */
export const NODE_ID_BYTES = 64;

const MDC_BYTES = 32;
const SIGNATURE_BYTES = 65;
const TYPE_OFFSET = MDC_BYTES + SIGNATURE_BYTES;
const MIN_PACKET = TYPE_OFFSET + 1;

/** Names have at most 253 characters. */
const MAX_HOST_BYTES = 255;
const MAX_PORT = 0xffff;
const MAX_NETWORK_ID = 0xffffffff;
/** Elements of a message, those that later versions may append included. */
const MAX_ITEMS = 16;
/** More nodes do not fit in a packet. */
const MAX_NODES = 128;
/** Of version 4, in either case. The variant is not checked, as in the deployed node. */
const MESSAGE_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const MESSAGE_ID_BYTES = 36;

/** An address as its node states it: the host is any text, for example a name that only its owner can resolve. */
export interface Endpoint {
  host: string;
  udpPort: number;
  tcpPort: number;
}

export interface Neighbor extends Endpoint {
  /** 64 bytes. */
  nodeId: Uint8Array;
}

interface Envelope {
  /** A UUID of version 4, in the case in which it was received. */
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
  /** 64 bytes. */
  nodeId: Uint8Array;
}

/** Has the message id of the FindNode that it answers. */
export interface Neighbors extends Envelope {
  kind: "neighbors";
  nodes: readonly Neighbor[];
}

export type DiscoveryMessage = PingOrPong | FindNode | Neighbors;

const TYPES: Readonly<Record<DiscoveryMessage["kind"], number>> = { ping: 1, pong: 2, findNode: 3, neighbors: 4 };
const KINDS = new Map(Object.entries(TYPES).map(([kind, type]) => [type, kind as DiscoveryMessage["kind"]]));

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

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

/** How many of `nodes`, from the first on, a Neighbors packet of at most `limit` bytes has room for. */
export function countFitting(nodes: readonly Neighbor[], limit: number): number {
  const empty: Neighbors = {
    kind: "neighbors",
    nodes: [],
    messageId: "0".repeat(MESSAGE_ID_BYTES),
    networkId: MAX_NETWORK_ID,
  };
  // A list prefix of up to two more bytes each, for the list of nodes and for the message.
  let bytes = MIN_PACKET + encodeRlp(itemsOf(empty)).length + 4;
  const full = nodes.findIndex((node) => (bytes += encodeRlp(itemsOfNeighbor(node)).length) > limit);
  return full < 0 ? nodes.length : full;
}

/**
 * Checks the hash of a packet and decodes its message; the signature is not read ({@link recoverDiscoverySender}). Elements after
 * the network id are ignored. Throws {@link RlpxError} `MALFORMED`.
 */
export function decodeDiscoveryPacket(packet: Uint8Array): DiscoveryMessage {
  if (packet.length < MIN_PACKET) throw malformed("packet", `${packet.length} bytes, fewer than ${MIN_PACKET}`);
  if (packet.length > MAX_PACKET) throw malformed("packet", `${packet.length} bytes, more than ${MAX_PACKET}`);
  const kind = KINDS.get(packet[TYPE_OFFSET]!);
  if (kind === undefined) throw malformed("packet", `type ${packet[TYPE_OFFSET]} is unknown`);
  if (!hasItsHash(packet)) throw malformed("packet", "its hash is wrong");
  const items = readWholeList(packet.subarray(MIN_PACKET), kind, MAX_ITEMS);
  switch (kind) {
    case "findNode":
      return { kind, nodeId: readNodeId(itemAt(items, 0, kind), kind), ...readEnvelope(items, 1, kind) };
    case "neighbors":
      return { kind, nodes: readNeighbors(itemAt(items, 0, kind)), ...readEnvelope(items, 1, kind) };
    default: {
      const [from, to] = [readEndpoint(itemAt(items, 0, kind), kind), readEndpoint(itemAt(items, 1, kind), kind)];
      return { kind, from, to, ...readEnvelope(items, 2, kind) };
    }
  }
}

/** The id (64 bytes) of the node that signed a packet. Throws {@link RlpxError} `MALFORMED`. */
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
  const messageId = readText(itemAt(items, index, what), what, MESSAGE_ID_BYTES);
  if (!MESSAGE_ID.test(messageId)) throw malformed(what, "its message id is not a UUID of version 4");
  const network = items[index + 1];
  return network === undefined ? { messageId } : { messageId, networkId: readUint(network, what, MAX_NETWORK_ID) };
}

function readEndpoint(item: RlpItem, what: string): Endpoint {
  const [host, udpPort, tcpPort] = readTuple(item, what, 3) as [RlpItem, RlpItem, RlpItem];
  return {
    host: readText(host, what, MAX_HOST_BYTES),
    udpPort: readUint(udpPort, what, MAX_PORT),
    tcpPort: readUint(tcpPort, what, MAX_PORT),
  };
}

function readNeighbors(item: RlpItem): Neighbor[] {
  return readList(item, "neighbors", MAX_NODES).map(readNeighbor);
}

/** With only three elements, the second is the port of both protocols. */
function readNeighbor(item: RlpItem): Neighbor {
  const what = "neighbors";
  const items = readList(item, what, 4);
  const [host, udpPort, tcpPort, nodeId] = items.length === 3 ? [items[0], items[1], items[1], items[2]] : items;
  if (nodeId === undefined) throw malformed(what, `a node of ${items.length} items`);
  return {
    host: readText(host!, what, MAX_HOST_BYTES),
    udpPort: readUint(udpPort!, what, MAX_PORT),
    tcpPort: readUint(tcpPort!, what, MAX_PORT),
    nodeId: readNodeId(nodeId, what),
  };
}

function readNodeId(item: RlpItem, what: string): Uint8Array {
  const id = readBytes(item, what, NODE_ID_BYTES);
  if (id.length !== NODE_ID_BYTES) throw malformed(what, `a node id of ${id.length} bytes instead of ${NODE_ID_BYTES}`);
  return id;
}

function readText(item: RlpItem, what: string, limit: number): string {
  const bytes = readBytes(item, what, limit);
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw malformed(what, "text that is not UTF-8", error);
  }
}
