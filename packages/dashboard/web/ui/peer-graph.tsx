import type { ConnectedPeer } from "../node/types.js";

/** A peer, with the members that the node reports. */
export type GraphPeer = Pick<ConnectedPeer, "id" | "address"> & Partial<ConnectedPeer>;

const WIDTH = 640;
/** Margin around the ellipse of the peers, for their labels. */
const MARGIN = { x: 90, y: 40 };
/** Radii of the circles, at which lines end. */
const OWN = 26;
const PEER = 10;
/** Maximum number of labels: more would overlap. */
const MAX_LABELS = 14;

/** The node and its peers around it: libp2p as full lines, RLPx as broken ones; the table has the same in words. */
export function PeerGraph({ peers }: { peers: readonly GraphPeer[] }) {
  if (peers.length === 0) return <p class="empty">No peer is connected</p>;
  const height = peers.length <= 2 ? 130 : peers.length <= 6 ? 240 : 360;
  const centre = { x: WIDTH / 2, y: height / 2 };
  const inbound = peers.filter(({ direction }) => direction === "inbound").length;
  const text = `This node and its ${peers.length} peers, of which ${inbound} are known to have dialled it; a table lists them`;
  return (
    <>
      <svg class="graph" viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={text}>
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0 L8 4 L0 8 Z" />
          </marker>
        </defs>
        {peers.map((peer, index) => (
          <Connection
            key={peer.id}
            centre={centre}
            peer={peer}
            angle={(2 * Math.PI * index) / peers.length}
            isNamed={peers.length <= MAX_LABELS}
          />
        ))}
        <circle class="own" cx={centre.x} cy={centre.y} r={OWN} />
        <text class="own" x={centre.x} y={centre.y + 4}>
          node
        </text>
      </svg>
      <ul class="legend" aria-label="Legend">
        <li>
          <span class="line libp2p" aria-hidden="true" /> libp2p
        </li>
        <li>
          <span class="line rlpx" aria-hidden="true" /> RLPx
        </li>
      </ul>
    </>
  );
}

interface ConnectionProps {
  peer: GraphPeer;
  centre: { x: number; y: number };
  angle: number;
  isNamed: boolean;
}

function Connection({ peer, centre, angle, isNamed }: ConnectionProps) {
  const at = {
    x: centre.x + (centre.x - MARGIN.x) * Math.cos(angle),
    y: centre.y + (centre.y - MARGIN.y) * Math.sin(angle),
  };
  const length = Math.hypot(at.x - centre.x, at.y - centre.y);
  const along = (distance: number) => ({
    x: centre.x + ((at.x - centre.x) * distance) / length,
    y: centre.y + ((at.y - centre.y) * distance) / length,
  });
  const [near, far] = [along(OWN + 3), along(length - PEER - 3)];
  const [from, to] = peer.direction === "inbound" ? [far, near] : [near, far];
  const about = [peer.client, peer.address, peer.direction, peer.wire].filter((part) => part !== undefined);
  const isBelow = at.y >= centre.y;
  return (
    <g class={peer.wire}>
      <title>{about.join(", ")}</title>
      <line x1={from.x} y1={from.y} x2={to.x} y2={to.y} marker-end={peer.direction && "url(#arrow)"} />
      <circle cx={at.x} cy={at.y} r={PEER} />
      {isNamed && (
        <text x={at.x} y={at.y + (isBelow ? PEER + 16 : -PEER - 8)}>
          {peer.address}
        </text>
      )}
    </g>
  );
}
