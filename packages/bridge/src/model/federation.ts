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
import { decodeItems, requireItems } from "./codecs.js";

/** A member's three compressed keys: parent chain, node, and a third one without a use yet. */
export interface FederationMember {
  readonly btc: Uint8Array;
  readonly rsk: Uint8Array;
  readonly mst: Uint8Array;
}

export interface Federation {
  readonly format: FederationFormat;
  readonly creationTimeMillis: bigint;
  readonly creationBlock: number;
  /** Members, sorted by {@link sortMembers}. */
  readonly members: readonly FederationMember[];
}

const FORMATS: readonly FederationFormat[] = [1000, 2000, 3000, 4000];

/** Sorts by parent-chain, node and third key, as unsigned bytes (`spec/06b-2 §1.1`). */
export function sortMembers(members: readonly FederationMember[]): FederationMember[] {
  return [...members].sort(
    (a, b) => compareBytes(a.btc, b.btc) || compareBytes(a.rsk, b.rsk) || compareBytes(a.mst, b.mst),
  );
}

function singleKeyMember(key: Uint8Array): FederationMember {
  return { btc: key, rsk: key, mst: key };
}

function decodeMember(items: readonly RlpItem[]): FederationMember {
  const [btc, rsk, mst] = requireItems(items, 3, "federation member");
  return { btc: btc!.bytes, rsk: rsk!.bytes, mst: mst!.bytes };
}

/** Unknown numbers decode as the standard format (`spec/06b-2 §1.5`). */
function decodeFormat(version: Uint8Array): FederationFormat {
  const number = bytesToNumber(decodeRlpItem(version).bytes, "federation format");
  return FORMATS.find((format) => format === number) ?? 1000;
}

/**
 * Decodes a stored federation (`spec/05 §7.4`). Without a format version (before RSKIP-123), members are single keys;
 * with one, each member is a byte string that contains the list of its three keys. Throws {@link BridgeError}
 * `STORED_LIST`, `RlpError` or `PrimitivesError`.
 */
export function decodeFederation(cell: Uint8Array, version: Uint8Array | undefined): Federation {
  const [time, block, members] = decodeItems(cell, 3, "federation");
  return {
    format: version === undefined ? 1000 : decodeFormat(version),
    creationTimeMillis: bytesToBigint(time!.bytes),
    creationBlock: bytesToNumber(block!.bytes, "federation creation block"),
    members: sortMembers(
      members!.items.map((item) =>
        version === undefined ? singleKeyMember(item.bytes) : decodeMember(decodeRlpList(item.bytes)),
      ),
    ),
  };
}

/**
 * Encodes the current form: three keys per member (RSKIP-123), or single keys before. Throws {@link BridgeError}
 * `CREATION_TIME` if the creation time is 2^63 milliseconds or more.
 */
export function encodeFederation(federation: Federation, multiKey: boolean): Uint8Array {
  const members = federation.members.map(({ btc, rsk, mst }) => (multiKey ? encodeRlp([btc, rsk, mst]) : btc));
  const { creationTimeMillis, creationBlock } = federation;
  if (creationTimeMillis > MAX_INT64) throw new BridgeError({ code: "CREATION_TIME", time: creationTimeMillis });
  return encodeRlp([bigintToBytes(creationTimeMillis), numberToBytes(creationBlock), members]);
}

/** Decodes a pending federation: members as nested lists, or single keys before RSKIP-123 (`spec/06a §5.2`). */
export function decodePendingFederation(cell: Uint8Array, version: Uint8Array | undefined): FederationMember[] {
  return sortMembers(
    decodeRlpList(cell).map((item) => (version === undefined ? singleKeyMember(item.bytes) : decodeMember(item.items))),
  );
}

/** Encodes the current form: members as nested lists (RSKIP-123), or single keys before. */
export function encodePendingFederation(members: readonly FederationMember[], multiKey: boolean): Uint8Array {
  return encodeRlp(sortMembers(members).map(({ btc, rsk, mst }) => (multiKey ? [btc, rsk, mst] : btc)));
}

/** Hash used in commit votes; it covers only the parent-chain keys (`spec/06b-2 §1.5`). */
export function pendingFederationHash(members: readonly FederationMember[]): Uint8Array {
  return keccak256(encodeRlp(members.map((member) => member.btc)));
}

export function genesisFederation(network: NetworkConfig): Federation {
  const { format, creationTimeMillis, creationBlock, publicKeys } = network.bridge.genesisFederation;
  const members = sortMembers(publicKeys.map(singleKeyMember));
  return { format, creationTimeMillis: BigInt(creationTimeMillis), creationBlock, members };
}

/** Number of blocks from a federation's creation until its activation (`spec/05 §7.2`). */
export function activationAge(network: NetworkConfig, rules: Rules): number {
  const { initial, rskip383, rskip419 } = network.bridge.federationActivationAge;
  if (rules.rskip419) return rskip419;
  return rules.rskip383 ? rskip383 : initial;
}

/** Number of required signatures: a majority of the members (`spec/06b-2 §1.1`). */
export function federationThreshold(federation: Federation): number {
  return Math.floor(federation.members.length / 2) + 1;
}
