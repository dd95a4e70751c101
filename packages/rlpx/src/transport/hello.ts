import { encodeRlp, numberToBytes, type RlpItem, utf8 } from "@cambium/primitives";
import { malformed, readBytes, readList, readUint, readWhole } from "../rlp.js";

/** A protocol that a node speaks, for example `rsk` 62. */
export interface Capability {
  name: string;
  version: number;
}

/** What a node says about itself (`spec/07 §A.2.4`). */
export interface Hello {
  p2pVersion: number;
  clientId: string;
  capabilities: readonly Capability[];
  listenPort: number;
  /** The public key of the handshake, 64 bytes. */
  nodeId: Uint8Array;
}

/** The version that this node sends: with 4, the reference client never splits messages. */
export const P2P_VERSION = 4;
/** The versions that the reference client accepts. */
export const ACCEPTED_P2P_VERSIONS: readonly number[] = [4, 5];

/** The largest body of a frame that is read before the peer's Hello. */
export const MAXIMUM_HELLO_BODY = 8192;

const ITEMS = 5;
const MAXIMUM_ITEMS = 32;
const MAXIMUM_CAPABILITIES = 64;
const MAXIMUM_CAPABILITY_ITEMS = 8;
const MAXIMUM_PORT = 0xffff;
const DECODER = new TextDecoder();

export function encodeHello({ p2pVersion, clientId, capabilities, listenPort, nodeId }: Hello): Uint8Array {
  return encodeRlp([
    numberToBytes(p2pVersion),
    utf8(clientId),
    capabilities.map(({ name, version }) => [utf8(name), numberToBytes(version)]),
    numberToBytes(listenPort),
    nodeId,
  ]);
}

/**
 * Further items are ignored, in the list and in each capability, as the reference client does. Throws `RlpxError`
 * `MALFORMED`.
 */
export function decodeHello(payload: Uint8Array): Hello {
  const items = readList(readWhole(payload, "Hello"), "Hello", MAXIMUM_ITEMS);
  if (items.length < ITEMS) throw malformed("Hello", `${items.length} items, fewer than ${ITEMS}`);
  const [p2pVersion, clientId, capabilities, listenPort, nodeId] = items;
  return {
    p2pVersion: readUint(p2pVersion!, "p2p version"),
    clientId: readText(clientId!, "client id"),
    capabilities: readList(capabilities!, "capabilities", MAXIMUM_CAPABILITIES).map(readCapability),
    listenPort: readUint(listenPort!, "listen port", MAXIMUM_PORT),
    nodeId: readBytes(nodeId!, "node id", MAXIMUM_HELLO_BODY),
  };
}

function readCapability(item: RlpItem): Capability {
  const [name, version] = readList(item, "capability", MAXIMUM_CAPABILITY_ITEMS);
  if (name === undefined || version === undefined) throw malformed("capability", "fewer than 2 items");
  return { name: readText(name, "capability name"), version: readUint(version, "capability version") };
}

function readText(item: RlpItem, what: string): string {
  return DECODER.decode(readBytes(item, what, MAXIMUM_HELLO_BODY));
}
