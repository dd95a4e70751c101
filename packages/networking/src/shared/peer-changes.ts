import type { PeerId } from "../interface.js";
import type { PeerChanges } from "../network.js";
import { type DialTarget, targetOf } from "./dial-target.js";
import { checkedPeerId } from "./peer-id.js";

/** Checks all changes before one is made. Throws `NetworkingError` `INVALID_OPTION`. */
export function checkedChanges({ trustedPeers, nodes }: PeerChanges): {
  trusted: PeerId[] | undefined;
  fixed: DialTarget[] | undefined;
} {
  return {
    trusted: trustedPeers?.map((text) => checkedPeerId(text, "trustedPeers")),
    fixed: nodes?.map((text) => targetOf(text, "rlpx.nodes")),
  };
}

/** Replaces the members of a set; undefined: no change. */
export function replaceMembers<T>(set: Set<T>, members: readonly T[] | undefined): void {
  if (members === undefined) return;
  set.clear();
  for (const member of members) set.add(member);
}
