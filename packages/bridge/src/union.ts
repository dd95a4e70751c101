import { BRIDGE_ADDRESS } from "@cambium/config";
import { bigintToBytes, bytesToBigint, EMPTY_BYTES, encodeRlp, equalBytes, toData } from "@cambium/primitives";
import type { Implementation, Implementations } from "./abi/implementation.js";
import { bridgeEvent, emit } from "./events/events.js";
import { pay } from "./payment.js";
import type { BridgeSession } from "./session.js";
import { CELLS } from "./storage/cells.js";

const CAP_MULTIPLIER = 2n;
const MAX_EVENT_LENGTH = 128;

const SUCCESS = 0n;
const UNAUTHORIZED = -1n;
const INVALID_VALUE = -2n;
const DISABLED = -3n;

const CAP_INCREASED = bridgeEvent("union_bridge_locking_cap_increased", "uint256", "uint256");
const REQUESTED = bridgeEvent("union_rbtc_requested", "uint256");
const RELEASED = bridgeEvent("union_rbtc_released", "uint256");
const PERMISSIONS_UPDATED = bridgeEvent("union_bridge_transfer_permissions_updated", "bool", "bool");

/** The address is fixed on main. */
function unionAddress({ network, storage }: BridgeSession): Uint8Array {
  const { contractAddress } = network.bridge.union;
  if (network.parentChain === "main") return contractAddress;
  return storage.readItem(CELLS.unionContractAddress) ?? contractAddress;
}

/** Maximum wei that the union bridge may hold. */
function unionCap({ network, storage }: BridgeSession): bigint {
  const item = storage.readItem(CELLS.unionLockingCap);
  return item === undefined ? network.bridge.union.initialLockingCap : bytesToBigint(item);
}

/** Wei that the union bridge holds. */
export function transferred({ storage }: BridgeSession): bigint {
  return bytesToBigint(storage.readItem(CELLS.unionTransferred) ?? EMPTY_BYTES);
}

/** Enabled unless the stored integer is 0. */
function isEnabled({ storage }: BridgeSession, key: Uint8Array): boolean {
  const item = storage.readItem(key);
  return item === undefined || bytesToBigint(item) !== 0n;
}

function writeCoin({ storage }: BridgeSession, key: Uint8Array, wei: bigint): void {
  storage.write(key, encodeRlp(bigintToBytes(wei)));
}

function setPermissions(session: BridgeSession, request: boolean, release: boolean, by: Uint8Array): void {
  writeCoin(session, CELLS.unionRequestEnabled, request ? 1n : 0n);
  writeCoin(session, CELLS.unionReleaseEnabled, release ? 1n : 0n);
  emit(session, PERMISSIONS_UPDATED, by, request, release);
}

function requireCaller(session: BridgeSession, method: string, allowed: Uint8Array): void {
  if (!equalBytes(session.context.caller, allowed)) session.fail(method, "caller not authorized");
}

function setContractAddress(session: BridgeSession, address: Uint8Array): bigint {
  const method = "setUnionBridgeContractAddressForTestnet";
  if (session.network.parentChain === "main") session.fail(method, "not on main");
  requireCaller(session, method, session.network.bridge.authorizers.union.contractAddress);
  session.storage.write(CELLS.unionContractAddress, encodeRlp(address));
  return SUCCESS;
}

function increaseCap(session: BridgeSession, cap: bigint): bigint {
  requireCaller(session, "increaseUnionBridgeLockingCap", session.network.bridge.authorizers.union.lockingCap);
  const present = unionCap(session);
  if (cap <= present || cap > present * CAP_MULTIPLIER) return INVALID_VALUE;
  writeCoin(session, CELLS.unionLockingCap, cap);
  emit(session, CAP_INCREASED, session.context.caller, present, cap);
  return SUCCESS;
}

function request(session: BridgeSession, wei: bigint): bigint {
  const union = unionAddress(session);
  if (!equalBytes(session.context.caller, union)) return UNAUTHORIZED;
  if (!isEnabled(session, CELLS.unionRequestEnabled)) return DISABLED;
  const total = transferred(session) + wei;
  if (wei <= 0n || total > unionCap(session)) return INVALID_VALUE;
  writeCoin(session, CELLS.unionTransferred, total);
  pay(session, union, wei);
  emit(session, REQUESTED, union, wei);
  return SUCCESS;
}

/** Value that is not accepted is refunded to the caller. */
function release(session: BridgeSession): bigint {
  const { caller, value } = session.context;
  const code = acceptReturn(session, value);
  if (code !== SUCCESS && value > 0n) pay(session, caller, value);
  return code;
}

function acceptReturn(session: BridgeSession, wei: bigint): bigint {
  const { caller } = session.context;
  if (!equalBytes(caller, unionAddress(session))) return UNAUTHORIZED;
  if (!isEnabled(session, CELLS.unionReleaseEnabled)) return DISABLED;
  if (wei <= 0n) return INVALID_VALUE;
  const held = transferred(session);
  if (wei > held) {
    // The contract returns more than it ever received, so all transfers stop until they are re-enabled.
    setPermissions(session, false, false, BRIDGE_ADDRESS);
    return INVALID_VALUE;
  }
  writeCoin(session, CELLS.unionTransferred, held - wei);
  emit(session, RELEASED, caller, wei);
  return SUCCESS;
}

function changePermissions(session: BridgeSession, request: boolean, release: boolean): bigint {
  requireCaller(session, "setUnionBridgeTransferPermissions", session.network.bridge.authorizers.union.permissions);
  const present = [isEnabled(session, CELLS.unionRequestEnabled), isEnabled(session, CELLS.unionReleaseEnabled)];
  if (present[0] === request && present[1] === release) return SUCCESS;
  setPermissions(session, request, release, session.context.caller);
  return SUCCESS;
}

/** State of the union bridge. */
export interface UnionReport {
  /** 0x-prefixed hex. */
  address: string;
  /** Maximum and current holdings in wei. */
  lockingCap: bigint;
  transferred: bigint;
  requestsAllowed: boolean;
  releasesAllowed: boolean;
}

export function reportUnion(session: BridgeSession): UnionReport {
  return {
    address: toData(unionAddress(session)),
    lockingCap: unionCap(session),
    transferred: transferred(session),
    requestsAllowed: isEnabled(session, CELLS.unionRequestEnabled),
    releasesAllowed: isEnabled(session, CELLS.unionReleaseEnabled),
  };
}

/** Setter of an event register: up to 128 raw bytes written by the union bridge (RSKIP-529). */
function setEvent(method: string, key: Uint8Array): Implementation {
  return (session, [data]) => {
    const bytes = (data ?? EMPTY_BYTES) as Uint8Array;
    requireCaller(session, method, unionAddress(session));
    if (bytes.length > MAX_EVENT_LENGTH) session.fail(method, "too long");
    session.storage.write(key, bytes.slice());
    return undefined;
  };
}

function getEvent(key: Uint8Array): Implementation {
  return ({ storage }) => storage.read(key) ?? EMPTY_BYTES;
}

/** The union bridge and its event registers: `spec/06b-2 §7`. */
export const unionMethods: Implementations = {
  "getUnionBridgeContractAddress()": unionAddress,
  "getUnionBridgeLockingCap()": unionCap,
  "setUnionBridgeContractAddressForTestnet(address)": (session, [address]) =>
    setContractAddress(session, address as Uint8Array),
  "increaseUnionBridgeLockingCap(uint256)": (session, [cap]) => increaseCap(session, cap as bigint),
  "requestUnionBridgeRbtc(uint256)": (session, [wei]) => request(session, wei as bigint),
  "releaseUnionBridgeRbtc()": release,
  "setUnionBridgeTransferPermissions(bool,bool)": (session, [requests, releases]) =>
    changePermissions(session, requests as boolean, releases as boolean),
  "getSuperEvent()": getEvent(CELLS.superEvent),
  "setSuperEvent(bytes)": setEvent("setSuperEvent", CELLS.superEvent),
  "clearSuperEvent()": setEvent("clearSuperEvent", CELLS.superEvent),
  "getBaseEvent()": getEvent(CELLS.baseEvent),
  "setBaseEvent(bytes)": setEvent("setBaseEvent", CELLS.baseEvent),
  "clearBaseEvent()": setEvent("clearBaseEvent", CELLS.baseEvent),
};
