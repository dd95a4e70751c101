import type { NetworkConfig } from "@cambium/config";
import { concatBytes, keccak256, toHex, utf8 } from "@cambium/primitives";
import type { GossipTopic } from "./gossip.js";
import type { ProtocolName } from "./protocols.js";

const PROJECT = "cambium";
const VERSION = 1;
const GENESIS_DIGITS = 8;
const MESSAGE_ID_BYTES = 20;
const SEPARATOR = Uint8Array.of(0);

/**
 * Name of a network in ids, such as `main-f88529d4` (`spec/07 §D.3`): nodes with different genesis blocks negotiate no
 * protocol.
 */
export function networkLabel(network: NetworkConfig, genesisHash: Uint8Array): string {
  return `${network.name}-${toHex(genesisHash).slice(0, GENESIS_DIGITS)}`;
}

/** Id of a request protocol or of discovery on the network with that label. */
export function protocolId(name: ProtocolName | "kad", label: string): string {
  return `/${PROJECT}/${label}/${name}/${VERSION}`;
}

/** Id of a gossip topic on the network with that label. */
export function topicId(topic: GossipTopic, label: string): string {
  return `/${PROJECT}/${label}/${topic}/${VERSION}`;
}

/** Id of a gossip message: 20 bytes (`spec/07 §D.4`). `topic` is the full id. */
export function messageId(topic: string, payload: Uint8Array): Uint8Array {
  return keccak256(concatBytes(utf8(topic), SEPARATOR, payload)).subarray(0, MESSAGE_ID_BYTES);
}
