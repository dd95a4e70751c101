import type { GossipSub } from "@libp2p/gossipsub";
import type { Verdict } from "../../interface.js";
import { withPrivateMembers } from "./private-members.js";

/** Gossipsub with the member that takes the result of asynchronous validation, which its type does not declare. */
export interface ValidatingGossipSub extends GossipSub {
  reportMessageValidationResult(messageId: string, from: string, verdict: Verdict): void;
}

/**
 * Checks the member of {@link ValidatingGossipSub}. Throws `NetworkingError` `LIBRARY_CHANGED`.
 *
 * No upstream issue asks for this. It is unnecessary once the interface `GossipSub` declares the member: the public
 * option `asyncValidation` needs it.
 */
export function withVerdicts(service: GossipSub): ValidatingGossipSub {
  return withPrivateMembers(service, "@libp2p/gossipsub", { reportMessageValidationResult: "function" });
}
