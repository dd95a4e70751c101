import type { NetworkConfig, Rules } from "@cambium/config";
import { sha256 } from "@cambium/merged-mining";
import { compareBytes, concatBytes, encodeBase58Check, hash160, joinBytes } from "@cambium/primitives";
import { PARENT_CHAINS } from "../bitcoin/parent-chains.js";
import { TEST_SCRIPT_BEFORE_RSKIP284 } from "../bitcoin/redeem-script.js";
import { BridgeError } from "../errors.js";
import { type Federation, federationThreshold } from "../model/federation.js";

// Scripts of federations: spec/06b-2 §1.2.

const CHECKMULTISIG = 0xae;
const NOTIF = 0x64;
const ELSE = 0x67;
const ENDIF = 0x68;
const CHECKSEQUENCEVERIFY = 0xb2;
const DROP = 0x75;
const MAX_KEYS = 20;
const MAX_P2SH_ERP_SCRIPT = 486;
const MAX_P2WSH_ERP_SCRIPT = 3566;

/** A count: a small-number opcode up to 15, a data push from 16 on. */
function scriptNumber(value: number): Uint8Array {
  if (value === 0) return Uint8Array.of(0);
  return value <= 15 ? Uint8Array.of(0x50 + value) : Uint8Array.of(1, value);
}

function push(data: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(data.length), data);
}

/** Throws {@link BridgeError} `SCRIPT_SIZE` if there are more keys than one opcode allows. */
function multisig(threshold: number, keys: readonly Uint8Array[]): Uint8Array {
  if (keys.length > MAX_KEYS) throw new BridgeError({ code: "SCRIPT_SIZE", size: keys.length, maximum: MAX_KEYS });
  const sorted = [...keys].sort(compareBytes);
  const count = scriptNumber(keys.length);
  return joinBytes([scriptNumber(threshold), ...sorted.map(push), count, Uint8Array.of(CHECKMULTISIG)]);
}

/** Minimal signed little-endian form of a positive delay. */
function littleEndianNumber(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest >>>= 8) bytes.push(rest & 0xff);
  if (bytes.at(-1)! >= 0x80) bytes.push(0);
  return Uint8Array.from(bytes);
}

/** The delay is two bytes big-endian before RSKIP-293. */
function emergencyDelay(delay: number, littleEndian: boolean): Uint8Array {
  return littleEndian ? littleEndianNumber(delay) : Uint8Array.of(delay >> 8, delay & 0xff);
}

function membersScript(federation: Federation): Uint8Array {
  return multisig(
    federationThreshold(federation),
    federation.members.map((member) => member.btc),
  );
}

/** The members' script or, after the delay, the script of the emergency keys. */
function emergencyScript(members: Uint8Array, emergency: Uint8Array, delay: Uint8Array): Uint8Array {
  return concatBytes(
    Uint8Array.of(NOTIF),
    members,
    Uint8Array.of(ELSE),
    push(delay),
    Uint8Array.of(CHECKSEQUENCEVERIFY, DROP),
    emergency,
    Uint8Array.of(ENDIF),
  );
}

/**
 * The redeem script of a federation. A stored federation of format 2000 uses the form valid at the executing block.
 * Throws {@link BridgeError} `SCRIPT_SIZE` if it exceeds the parent chain's limits.
 */
export function redeemScript(federation: Federation, network: NetworkConfig, rules: Rules): Uint8Array {
  const members = membersScript(federation);
  if (federation.format === 1000) return members;
  if (federation.format === 2000 && network.parentChain === "test" && !rules.rskip284) {
    return TEST_SCRIPT_BEFORE_RSKIP284;
  }
  const { publicKeys, activationDelay } = network.bridge.emergency;
  const emergency = multisig(Math.floor(publicKeys.length / 2) + 1, publicKeys);
  if (federation.format === 2000) {
    // Both parts share one CHECKMULTISIG after ENDIF.
    const delay = emergencyDelay(activationDelay, rules.rskip293);
    const script = emergencyScript(members.subarray(0, -1), emergency.subarray(0, -1), delay);
    return checkSize(concatBytes(script, Uint8Array.of(CHECKMULTISIG)), MAX_P2SH_ERP_SCRIPT);
  }
  const script = emergencyScript(members, emergency, littleEndianNumber(activationDelay));
  return checkSize(script, federation.format === 4000 ? MAX_P2WSH_ERP_SCRIPT : MAX_P2SH_ERP_SCRIPT);
}

function checkSize(script: Uint8Array, maximum: number): Uint8Array {
  if (script.length > maximum) throw new BridgeError({ code: "SCRIPT_SIZE", size: script.length, maximum });
  return script;
}

/**
 * Hash in a federation's output script and address: of the redeem script, or of its witness program for format 4000.
 */
export function scriptHash(federation: Federation, network: NetworkConfig, rules: Rules): Uint8Array {
  const script = redeemScript(federation, network, rules);
  return hash160(federation.format === 4000 ? concatBytes(Uint8Array.of(0, 0x20), sha256(script)) : script);
}

export function federationAddress(federation: Federation, network: NetworkConfig, rules: Rules): string {
  const version = PARENT_CHAINS[network.parentChain].scriptHashVersion;
  return encodeBase58Check(concatBytes(Uint8Array.of(version), scriptHash(federation, network, rules)));
}
