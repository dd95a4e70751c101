import { utf8 } from "@cambium/primitives";
import type { Multiaddr } from "@multiformats/multiaddr";
import { NetworkingError } from "../../errors.js";
import type { PeerId } from "../../interface.js";
import type { NetworkingOptions } from "../../options.js";
import { checkedPeerId } from "../../shared/peer-id.js";
import { parseMultiaddr, parsePeerMultiaddr } from "../addresses.js";

const MAX_CLIENT_ID_BYTES = 64;

export interface CheckedOptions {
  /** Addresses by peer. */
  bootNodes: ReadonlyMap<PeerId, readonly Multiaddr[]>;
  trusted: Set<PeerId>;
}

/** Parses and checks the options. Throws {@link NetworkingError} `INVALID_OPTION`. */
export function checkOptions(options: NetworkingOptions): CheckedOptions {
  for (const text of options.listen) parseMultiaddr(text, "listen");
  for (const text of options.announce) parseMultiaddr(text, "announce");
  const { maximum, minimumOutbound, target } = options.limits;
  if (minimumOutbound > maximum || target > maximum) {
    throw invalid("limits", `target ${target} or minimumOutbound ${minimumOutbound} is above maximum ${maximum}`);
  }
  if (utf8(options.clientId).length > MAX_CLIENT_ID_BYTES) throw invalid("clientId", "longer than 64 bytes");
  return {
    bootNodes: bootNodes(options.bootNodes),
    trusted: new Set(options.trustedPeers.map((text) => checkedPeerId(text, "trustedPeers"))),
  };
}

function bootNodes(texts: readonly string[]): Map<PeerId, Multiaddr[]> {
  const nodes = new Map<PeerId, Multiaddr[]>();
  for (const text of texts) {
    const { peer, address } = parsePeerMultiaddr(text, "bootNodes");
    const id = checkedPeerId(peer, "bootNodes");
    nodes.set(id, [...(nodes.get(id) ?? []), address]);
  }
  return nodes;
}

function invalid(option: string, reason: string): NetworkingError {
  return new NetworkingError({ code: "INVALID_OPTION", option, reason });
}
