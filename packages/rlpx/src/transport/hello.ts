import { encodeRlp, numberToBytes, type RlpItem, utf8 } from "@cambium/primitives";
import { dataOf, elementsIn, firstElement, intIn, tupleIn } from "../tolerant-rlp.js";

/** A protocol that a node speaks, for example `rsk` 62. */
export interface Capability {
  name: string;
  version: number;
}

/** A node's statements about itself (`spec/07 §A.2.4`). */
export interface Hello {
  p2pVersion: number;
  clientId: string;
  capabilities: readonly Capability[];
  listenPort: number;
  /** The public key of the handshake, 64 bytes. */
  nodeId: Uint8Array;
}

/** The version that this node sends: with version 4, the reference client never splits messages. */
export const P2P_VERSION = 4;
/** The versions that the reference client accepts. */
export const ACCEPTED_P2P_VERSIONS: readonly number[] = [4, 5];

/** Maximum size in bytes of a frame's body before the peer's Hello. */
export const MAXIMUM_HELLO_BODY = 8192;

const ITEMS = 5;
const MAXIMUM_CAPABILITIES = 64;
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
 * Reads Hello like the deployed node. Low bytes of numbers count; further bytes are ignored, in the list and in each
 * capability. Throws `RlpxError` `MALFORMED`.
 */
export function decodeHello(payload: Uint8Array): Hello {
  const items = tupleIn(firstElement(payload, "Hello"), "Hello", ITEMS);
  const [p2pVersion, clientId, capabilities, listenPort, nodeId] = items as [
    RlpItem,
    RlpItem,
    RlpItem,
    RlpItem,
    RlpItem,
  ];
  return {
    p2pVersion: intIn(p2pVersion),
    clientId: DECODER.decode(dataOf(clientId)),
    capabilities: elementsIn(capabilities, "capabilities", MAXIMUM_CAPABILITIES).map(readCapability),
    listenPort: intIn(listenPort),
    nodeId: dataOf(nodeId),
  };
}

function readCapability(item: RlpItem): Capability {
  const [name, version] = tupleIn(item, "capability", 2) as [RlpItem, RlpItem];
  return { name: DECODER.decode(dataOf(name)), version: dataOf(version).at(-1) ?? 0 };
}
