import { equalBytes } from "@cambium/primitives";
import type { BridgeSession } from "../session.js";
import type { Federation } from "./federation.js";
import { keyAddress } from "./key-address.js";

/** Whether an address belongs to a member's node key. */
export function isMember(federation: Federation, address: Uint8Array): boolean {
  return federation.members.some((member) => equalBytes(keyAddress(member.rsk), address));
}

/** Fails unless the caller is a member of the active or the retiring federation. */
export function requireFederator(session: BridgeSession, method: string): void {
  const { active, retiring } = session.federations;
  const { caller } = session.context;
  if (isMember(active, caller) || (retiring !== undefined && isMember(retiring, caller))) return;
  session.fail(method, "caller is not a federation member");
}
