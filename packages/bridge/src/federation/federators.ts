import { equalBytes } from "@cambium/primitives";
import type { Federation, FederationMember } from "../model/federation.js";
import type { BridgeSession } from "../session.js";
import { keyAddress } from "./key-address.js";

const addresses = new WeakMap<FederationMember, Uint8Array>();

/** Address of a member's node key. Throws {@link BridgeError} `INVALID_PUBLIC_KEY` if it is not a curve point. */
function memberAddress(member: FederationMember): Uint8Array {
  let address = addresses.get(member);
  if (address === undefined) addresses.set(member, (address = keyAddress(member.rsk)));
  return address;
}

/** Whether an address belongs to a member's node key. */
export function isMember({ members }: Pick<Federation, "members">, address: Uint8Array): boolean {
  return members.some((member) => equalBytes(memberAddress(member), address));
}

/** Fails unless the caller is a member of the active or the retiring federation. */
export function requireFederator(session: BridgeSession, method: string): void {
  const { active, retiring } = session.federations;
  const { caller } = session.context;
  if (isMember(active, caller) || (retiring !== undefined && isMember(retiring, caller))) return;
  session.fail(method, "caller is not a federation member");
}
