import type { RlpxPeer } from "../../src/rlpx/peer.js";
import { RlpxPeerTable } from "../../src/rlpx/peer-table.js";
import type { DialTarget } from "../../src/shared/dial-target.js";

/** A node that can be dialled, at `10.<subnet>.0.<index>`. */
export function targetAt(subnet: number, index: number): DialTarget {
  return { id: `${subnet}-${index}`, nodeId: new Uint8Array(64), host: `10.${subnet}.0.${index}`, port: 5050 };
}

/** A connected peer without a connection. */
export function peerAt(
  { id, host }: Pick<DialTarget, "id" | "host">,
  direction: "inbound" | "outbound",
  isTrusted = false,
) {
  const status = { totalDifficulty: 1n };
  return { id, direction, isTrusted, isReady: true, address: { ip: host, port: 1 }, status } as RlpxPeer;
}

export function tableOf(...peers: RlpxPeer[]): RlpxPeerTable {
  const table = new RlpxPeerTable();
  for (const peer of peers) table.set(peer);
  return table;
}
