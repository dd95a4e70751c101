import { BRIDGE_ADDRESS, type FederationFormat, type Rules } from "@cambium/config";
import {
  type AbiValue,
  abiType,
  encodeRlp,
  encodeValues,
  joinBytes,
  keccak256,
  leftPad,
  utf8,
} from "@cambium/primitives";
import { BridgeError } from "../errors.js";
import { activationAge, type Federation } from "../model/federation.js";
import type { BridgeSession } from "../session.js";
import { federationAddress, scriptHash } from "./script.js";
import { replaceActiveFederation } from "./succession.js";

// Commits a pending federation after its election: spec/06b-2 §2, "commit effect", and §8.

/**
 * Makes the pending federation the proposed one, which must then prove that it can sign (RSKIP-419); before that rule
 * it takes over immediately. Throws {@link BridgeError} `SCRIPT_SIZE` if its redeem script would be too large.
 */
export function commitPending(session: BridgeSession): void {
  const { storage, rules } = session;
  const federation = federationOfPending(session);
  if (rules.rskip419) storage.setProposedFederation(federation);
  else replaceActiveFederation(session, federation);
  storage.setPendingFederation(undefined);
  const retiring = rules.rskip419 ? session.activeFederation : storage.oldFederation!;
  logCommitment(session, retiring, federation);
}

/** Last second that the deployed client's time type supports. */
const LAST_INSTANT = 31_556_889_864_403_199n;

/**
 * Creates the federation from the pending one. Before RSKIP-419, the block's timestamp was interpreted as milliseconds.
 * Throws {@link BridgeError} `CREATION_TIME` if the time is out of range, which is only possible on networks without
 * timestamp rules.
 */
function federationOfPending({ storage, rules, context }: BridgeSession): Federation {
  const { number, timestamp } = context.block;
  if (timestamp > LAST_INSTANT) throw new BridgeError({ code: "CREATION_TIME", time: timestamp });
  return {
    format: formatOf(rules),
    creationTimeMillis: rules.rskip419 ? timestamp * 1000n : timestamp,
    creationBlock: number,
    members: storage.pendingFederation!,
  };
}

function formatOf(rules: Rules): FederationFormat {
  if (rules.rskip305) return 4000;
  if (rules.rskip353) return 3000;
  return rules.rskip201 ? 2000 : 1000;
}

const TYPES = ["bytes", "string", "bytes", "string", "int256"];
const TOPIC = keccak256(utf8(`commit_federation(${TYPES.join(",")})`));
const DATA_TYPES = TYPES.map(abiType);
/** The form before RSKIP-146: the name as topic and RLP data. */
const NAMED_TOPIC = leftPad(utf8("commit_federation_topic"), 32);

function logCommitment(session: BridgeSession, from: Federation, to: Federation): void {
  const { context, network, rules } = session;
  const activation = context.block.number + activationAge(network, rules);
  context.log(
    rules.rskip146
      ? { address: BRIDGE_ADDRESS, topics: [TOPIC], data: encodeEvent(session, from, to, activation) }
      : { address: BRIDGE_ADDRESS, topics: [NAMED_TOPIC], data: encodeNamed(session, from, to, activation) },
  );
}

const parentKeys = (federation: Federation): Uint8Array[] => federation.members.map((member) => member.btc);

function encodeEvent(session: BridgeSession, from: Federation, to: Federation, activation: number): Uint8Array {
  const { network, rules } = session;
  const described = (federation: Federation): AbiValue[] => [
    joinBytes(parentKeys(federation)),
    federationAddress(federation, network, rules),
  ];
  return encodeValues(DATA_TYPES, [...described(from), ...described(to), BigInt(activation)]);
}

function encodeNamed(session: BridgeSession, from: Federation, to: Federation, activation: number): Uint8Array {
  const { network, rules } = session;
  const described = (federation: Federation): [Uint8Array, Uint8Array[]] => [
    scriptHash(federation, network, rules),
    parentKeys(federation),
  ];
  return encodeRlp([described(from), described(to), utf8(String(activation))]);
}
