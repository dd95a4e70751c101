import type { NetworkConfig } from "@cambium/config";
import { toHex } from "@cambium/primitives";
import type { NativeCallContext } from "@cambium/state";
import { keyAddress } from "./federation/key-address.js";

const sendersOf = new WeakMap<NetworkConfig, ReadonlySet<string>>();

/** Genesis federators and authorizers, as lower-case hex. */
function freeSenders(network: NetworkConfig): ReadonlySet<string> {
  let senders = sendersOf.get(network);
  if (senders === undefined) {
    const { genesisFederation, authorizers } = network.bridge;
    const { federationChange, whitelist, feePerKb } = authorizers;
    const federators = genesisFederation.publicKeys.map(keyAddress);
    senders = new Set([...federators, ...federationChange, ...whitelist, ...feePerKb].map(toHex));
    sendersOf.set(network, senders);
  }
  return senders;
}

/**
 * Whether the call is free: a validly signed transaction sent directly to the bridge by a federator or authorizer,
 * while such transactions are free (`spec/06a §1.5`).
 */
export function isFreeBridgeCall(context: NativeCallContext): boolean {
  return (
    !context.rules.areBridgeTxsPaid &&
    context.kind === "transaction" &&
    context.transaction.hasAcceptableSignature &&
    freeSenders(context.network).has(toHex(context.transaction.sender))
  );
}
