import { type FederationFormat, MAX_INT64, type NetworkConfig, type Rules } from "@cambium/config";
import {
  bigintToBytes,
  bytesToBigint,
  bytesToNumber,
  compareBytes,
  decodeRlpItem,
  decodeRlpList,
  encodeRlp,
  keccak256,
  numberToBytes,
  type RlpItem,
} from "@cambium/primitives";
import { BridgeError } from "../errors.js";

/** The three compressed keys of a member: parent chain, node, and the third one that nothing uses yet. */
export interface FederationMember {
  btc: Uint8Array;
  rsk: Uint8Array;
  mst: Uint8Array;
}

export interface Federation {
  format: FederationFormat;
  creationTimeMillis: bigint;
  creationBlock: number;
  /** In member order. */
  members: readonly FederationMember[];
}

const FORMATS: readonly FederationFormat[] = [1000, 2000, 3000, 4000];

/** Member order: by parent-chain, node and third key, unsigned bytes (`spec/06b-2 §1.1`). */
export function sortMembers(members: readonly FederationMember[]): FederationMember[] {
  return [...members].sort(
    (a, b) => compareBytes(a.btc, b.btc) || compareBytes(a.rsk, b.rsk) || compareBytes(a.mst, b.mst),
  );
}

function singleKeyMember(key: Uint8Array): FederationMember {
  return { btc: key, rsk: key, mst: key };
}

function decodeMember(keys: readonly RlpItem[]): FederationMember {
  return { btc: keys[0]!.bytes, rsk: keys[1]!.bytes, mst: keys[2]!.bytes };
}

/** An unknown number is read as the standard format (`spec/06b-2 §1.5`). */
function decodeFormat(version: Uint8Array): FederationFormat {
  const number = bytesToNumber(decodeRlpItem(version).bytes, "federation format");
  return FORMATS.find((format) => format === number) ?? 1000;
}

/**
 * A stored federation (`spec/05 §7.4`). Without a format version (before RSKIP-123) members are single keys; with one,
 * each member is a byte string that holds the list of its three keys.
 */
export function decodeFederation(cell: Uint8Array, version: Uint8Array | undefined): Federation {
  const [time, block, members] = decodeRlpList(cell) as [RlpItem, RlpItem, RlpItem];
  return {
    format: version === undefined ? 1000 : decodeFormat(version),
    creationTimeMillis: bytesToBigint(time.bytes),
    creationBlock: bytesToNumber(block.bytes, "federation creation block"),
    members: sortMembers(
      members.items.map((item) =>
        version === undefined ? singleKeyMember(item.bytes) : decodeMember(decodeRlpList(item.bytes)),
      ),
    ),
  };
}

/**
 * The form written today: three keys a member (RSKIP-123), or single keys before. Throws {@link BridgeError} for a time
 * of 2^63 milliseconds or more.
 */
export function encodeFederation(federation: Federation, multiKey: boolean): Uint8Array {
  const members = federation.members.map(({ btc, rsk, mst }) => (multiKey ? encodeRlp([btc, rsk, mst]) : btc));
  const { creationTimeMillis, creationBlock } = federation;
  if (creationTimeMillis > MAX_INT64) throw new BridgeError({ code: "CREATION_TIME", time: creationTimeMillis });
  return encodeRlp([bigintToBytes(creationTimeMillis), numberToBytes(creationBlock), members]);
}

/** A pending federation: members as nested lists, or single keys before RSKIP-123 (`spec/06a §5.2`). */
export function decodePendingFederation(cell: Uint8Array, version: Uint8Array | undefined): FederationMember[] {
  return sortMembers(
    decodeRlpList(cell).map((item) => (version === undefined ? singleKeyMember(item.bytes) : decodeMember(item.items))),
  );
}

/** The form written today: members as nested lists (RSKIP-123), or single keys before. */
export function encodePendingFederation(members: readonly FederationMember[], multiKey: boolean): Uint8Array {
  return encodeRlp(sortMembers(members).map(({ btc, rsk, mst }) => (multiKey ? [btc, rsk, mst] : btc)));
}

/** Hash that a commit vote names: of the parent-chain keys only (`spec/06b-2 §1.5`). */
export function pendingFederationHash(members: readonly FederationMember[]): Uint8Array {
  return keccak256(encodeRlp(members.map((member) => member.btc)));
}

export function genesisFederation(network: NetworkConfig): Federation {
  const { format, creationTimeMillis, creationBlock, publicKeys } = network.bridge.genesisFederation;
  const members = sortMembers(publicKeys.map(singleKeyMember));
  return { format, creationTimeMillis: BigInt(creationTimeMillis), creationBlock, members };
}

/** Blocks from its creation until a new federation is the active one (`spec/05 §7.2`). */
export function activationAge(network: NetworkConfig, rules: Rules): number {
  const { initial, rskip383, rskip419 } = network.bridge.federationActivationAge;
  if (rules.rskip419) return rskip419;
  return rules.rskip383 ? rskip383 : initial;
}

/** Signatures needed: a majority of the members (`spec/06b-2 §1.1`). */
export function federationThreshold(federation: Federation): number {
  return Math.floor(federation.members.length / 2) + 1;
}
