import { type AbiArgument, type AbiText, EMPTY_BYTES } from "@cambium/primitives";
import { type Implementation, type Implementations, toInt32 } from "../abi/implementation.js";
import {
  activationAge,
  type Federation,
  type FederationMember,
  federationThreshold,
  pendingFederationHash,
} from "../model/federation.js";
import type { BridgeSession } from "../session.js";
import { CELLS } from "../storage/cells.js";
import { federationAddress, redeemScript } from "./script.js";

type Pick = (session: BridgeSession) => Federation | undefined;

const active: Pick = (session) => session.activeFederation;
const retiring: Pick = (session) => session.federations.retiring;
const proposed: Pick = (session) => session.storage.proposedFederation;

/** Getter of a federation's number; returns -1 if there is no federation. */
function number(
  pick: Pick,
  value: (federation: Federation, session: BridgeSession) => number | bigint,
): Implementation {
  return (session) => {
    const federation = pick(session);
    return federation === undefined ? -1n : BigInt(value(federation, session));
  };
}

function address(pick: Pick): Implementation {
  return (session) => {
    const federation = pick(session);
    return federation === undefined ? "" : federationAddress(federation, session.network, session.rules);
  };
}

const size = (federation: Federation): number => federation.members.length;
const creationBlock = (federation: Federation): number => federation.creationBlock;

/** Milliseconds before RSKIP-419, seconds from it on. */
function creationTime({ creationTimeMillis }: Federation, { rules }: BridgeSession): bigint {
  return rules.rskip419 ? creationTimeMillis / 1000n : creationTimeMillis;
}

type Members = (session: BridgeSession) => readonly FederationMember[] | undefined;

const KEY_TYPES: readonly string[] = ["btc", "rsk", "mst"] satisfies (keyof FederationMember)[];

/**
 * Getter of a member's key, empty if there is no federation. Fails first on an unknown key type, then on an index out
 * of range.
 */
function keyOfType(method: string, members: Members): Implementation {
  return (session, [index, type]) => {
    const keyType = (type as AbiText).toString();
    if (!KEY_TYPES.includes(keyType)) session.fail(method, "unknown key type");
    return memberKey(session, method, members(session), index!, keyType as keyof FederationMember);
  };
}

function parentChainKey(method: string, members: Members): Implementation {
  return (session, [index]) => memberKey(session, method, members(session), index!, "btc");
}

function memberKey(
  session: BridgeSession,
  method: string,
  members: readonly FederationMember[] | undefined,
  index: AbiArgument,
  type: keyof FederationMember,
): Uint8Array {
  if (members === undefined) return EMPTY_BYTES;
  const member = members[toInt32(index)];
  return member === undefined ? session.fail(method, "no member of this index") : member[type];
}

const membersOf =
  (pick: Pick): Members =>
  (session) =>
    pick(session)?.members;

function pendingMembers({ storage }: BridgeSession): readonly FederationMember[] | undefined {
  return storage.pendingFederation;
}

/** The next federation's height once it is active, else the active one's, else 0 (RSKIP-186). */
function activeCreationHeight(session: BridgeSession): bigint {
  const next = session.readHeight(CELLS.nextFederationCreationHeight);
  const age = activationAge(session.network, session.rules);
  if (next !== undefined && session.context.block.number >= next + age) return BigInt(next);
  return BigInt(session.readHeight(CELLS.activeFederationCreationHeight) ?? 0);
}

/** Getters of the active, retiring, proposed and pending federation: `spec/06b-2 §2`. */
export const federationGetters: Implementations = {
  "getFederationAddress()": address(active),
  "getFederationSize()": number(active, size),
  "getFederationThreshold()": number(active, federationThreshold),
  "getFederationCreationTime()": number(active, creationTime),
  "getFederationCreationBlockNumber()": number(active, creationBlock),
  "getFederatorPublicKey(int256)": parentChainKey("getFederatorPublicKey", membersOf(active)),
  "getFederatorPublicKeyOfType(int256,string)": keyOfType("getFederatorPublicKeyOfType", membersOf(active)),

  "getRetiringFederationAddress()": address(retiring),
  "getRetiringFederationSize()": number(retiring, size),
  "getRetiringFederationThreshold()": number(retiring, federationThreshold),
  "getRetiringFederationCreationTime()": number(retiring, creationTime),
  "getRetiringFederationCreationBlockNumber()": number(retiring, creationBlock),
  "getRetiringFederatorPublicKey(int256)": parentChainKey("getRetiringFederatorPublicKey", membersOf(retiring)),
  "getRetiringFederatorPublicKeyOfType(int256,string)": keyOfType(
    "getRetiringFederatorPublicKeyOfType",
    membersOf(retiring),
  ),

  "getProposedFederationAddress()": address(proposed),
  "getProposedFederationSize()": number(proposed, size),
  "getProposedFederationCreationTime()": number(proposed, creationTime),
  "getProposedFederationCreationBlockNumber()": number(proposed, creationBlock),
  "getProposedFederatorPublicKeyOfType(int256,string)": keyOfType(
    "getProposedFederatorPublicKeyOfType",
    membersOf(proposed),
  ),

  "getPendingFederationHash()": (session) => {
    const members = pendingMembers(session);
    return members === undefined ? EMPTY_BYTES : pendingFederationHash(members);
  },
  "getPendingFederationSize()": (session) => BigInt(pendingMembers(session)?.length ?? -1),
  "getPendingFederatorPublicKey(int256)": parentChainKey("getPendingFederatorPublicKey", pendingMembers),
  "getPendingFederatorPublicKeyOfType(int256,string)": keyOfType("getPendingFederatorPublicKeyOfType", pendingMembers),

  "getActivePowpegRedeemScript()": (session) => redeemScript(session.activeFederation, session.network, session.rules),
  "getActiveFederationCreationBlockHeight()": activeCreationHeight,
};
