import { LruCache } from "@cambium/primitives";
import type { Libp2p, Peer } from "@libp2p/interface";

/** Maximum number of peers in the record, far more than can be connected. */
const MAX_PEERS = 1024;

/**
 * Records each protocol of a connected peer in the peer store once. The library does so for every stream. Each record
 * reads the database, decodes the peer's key and often writes: a third of the cost of idle peers. `merge` is a public
 * member, so no check is needed.
 */
export function recordProtocolsOnce(libp2p: Pick<Libp2p, "peerStore" | "addEventListener">): void {
  const { peerStore } = libp2p;
  const merge = peerStore.merge.bind(peerStore);
  const recorded = new LruCache<string, { protocols: Set<string>; peer: Peer }>(MAX_PEERS);
  peerStore.merge = async (id, data, options) => {
    const { protocols, ...others } = data;
    if (protocols === undefined || Object.keys(others).length > 0) return merge(id, data, options);
    const known = recorded.get(id.toString());
    if (known !== undefined && protocols.every((protocol) => known.protocols.has(protocol))) return known.peer;
    const peer = await merge(id, data, options);
    recorded.set(id.toString(), { protocols: new Set([...(known?.protocols ?? []), ...protocols]), peer });
    return peer;
  };
  libp2p.addEventListener("peer:disconnect", ({ detail }) => recorded.delete(detail.toString()));
}
