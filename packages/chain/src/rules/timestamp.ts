import { type NetworkConfig, rulesAt } from "@cambium/config";
import type { HeaderFields } from "@cambium/types";
import { BlockError } from "../faults.js";

/** Offset of the time in a parent-chain header, 32 bits little-endian (`spec/03 §3.1`). */
const PARENT_CHAIN_TIME_OFFSET = 68;
const PARENT_CHAIN_HEADER_SIZE = 80;

type TimedHeader = Pick<HeaderFields, "number" | "timestamp" | "parentChainHeader">;

/**
 * Checks that the timestamp is not too far in the future and close to that of the parent-chain header (`spec/02 §3.5`,
 * header form; RSKIP-179). A network without a valid period has no timestamp rules. `now` is the local time in seconds.
 */
export function timestamp(header: TimedHeader, network: NetworkConfig, now: number): void {
  if (network.consensus.validPeriod === 0) return;
  timestampNotInFuture(header, network, now);
  timestampNearParentChain(header, network);
}

/** Header form, and strictly later than the parent; only for uncles and relayed blocks (`spec/02 §10`, Q2). */
export function timestampAfterParent(
  header: Pick<HeaderFields, "timestamp">,
  parent: Pick<HeaderFields, "timestamp">,
  network: NetworkConfig,
): void {
  if (network.consensus.validPeriod === 0 || header.timestamp > parent.timestamp) return;
  throw new BlockError({ code: "TIMESTAMP_PARENT", parent: parent.timestamp, actual: header.timestamp });
}

function timestampNotInFuture(header: TimedHeader, network: NetworkConfig, now: number): void {
  const latest = BigInt(Math.floor(now) + network.consensus.validPeriod);
  if (header.timestamp > latest) throw new BlockError({ code: "TIMESTAMP_FUTURE", latest, actual: header.timestamp });
}

function timestampNearParentChain(header: TimedHeader, network: NetworkConfig): void {
  const rules = rulesAt(network, header.number);
  if (!rules.rskip179) return;
  const { parentChainTimeWindow, parentChainTimeWindowRskip297 } = network.consensus;
  const window = (rules.rskip297 ? parentChainTimeWindowRskip297 : undefined) ?? parentChainTimeWindow;
  const parentChainTime = readParentChainTime(header.parentChainHeader);
  if (parentChainTime === null || isFar(parentChainTime, header.timestamp, BigInt(window))) {
    throw new BlockError({ code: "TIMESTAMP_PARENT_CHAIN", parentChainTime, window, actual: header.timestamp });
  }
}

function isFar(a: bigint, b: bigint, window: bigint): boolean {
  return a - b >= window || b - a >= window;
}

function readParentChainTime(bytes: Uint8Array | null): bigint | null {
  if (bytes === null || bytes.length < PARENT_CHAIN_HEADER_SIZE) return null;
  return BigInt(new DataView(bytes.buffer, bytes.byteOffset).getUint32(PARENT_CHAIN_TIME_OFFSET, true));
}
