import { BRIDGE_ADDRESS } from "@cambium/config";
import { type AbiType, type AbiValue, abiType, encodeValues, keccak256, leftPad, utf8 } from "@cambium/primitives";
import type { BridgeSession } from "../session.js";

/** An event whose first argument is an indexed address: `spec/06b-3 §10`. */
export interface BridgeEvent {
  topic: Uint8Array;
  /** Types of the arguments after the address. */
  data: readonly AbiType[];
}

export function bridgeEvent(name: string, ...data: readonly string[]): BridgeEvent {
  const signature = `${name}(${["address", ...data].join(",")})`;
  return { topic: keccak256(utf8(signature)), data: data.map(abiType) };
}

export function emit(session: BridgeSession, event: BridgeEvent, indexed: Uint8Array, ...values: AbiValue[]): void {
  session.context.log({
    address: BRIDGE_ADDRESS,
    topics: [event.topic, leftPad(indexed, 32)],
    data: encodeValues(event.data, values),
  });
}
