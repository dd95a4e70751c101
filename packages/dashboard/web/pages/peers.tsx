import { grouped } from "../format/numbers.js";
import { duration } from "../format/time.js";
import { call, isMissing } from "../node/client.js";
import { useQuery } from "../node/query.js";
import type { ConnectedPeer, PeerScoring } from "../node/types.js";
import { Badge, Card, Fact, Facts, Figure, Figures, Hash, Loaded, Missing, Table } from "../ui/parts.js";
import { type GraphPeer, PeerGraph } from "../ui/peer-graph.js";

const EVERY = 5_000;

interface NodeInfo {
  id: string | null;
  addresses: readonly string[];
  network: string;
  bestNumber: number;
}

/** Undefined if the node does not have the method. */
async function offered<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function readPeers() {
  const [lines, info, peers, scores, banned] = await Promise.all([
    call<string[]>("net_peerList"),
    offered(call<NodeInfo>("admin_nodeInfo")),
    offered(call<ConnectedPeer[]>("admin_peers")),
    offered(call<PeerScoring[]>("sco_peerList")),
    offered(call<string[]>("sco_bannedAddresses")),
  ]);
  return { lines, info, peers, scores, banned };
}

export function PeersPage() {
  const query = useQuery("peers", readPeers, { every: EVERY });
  return (
    <Loaded query={query}>
      {({ lines, info, peers, scores, banned }) => (
        <>
          <Figures>
            <Figure name="Connected" value={grouped(peers?.length ?? lines.length)} />
            <Figure name="Outbound" value={count(peers, ({ direction }) => direction === "outbound")} />
            <Figure name="Inbound" value={count(peers, ({ direction }) => direction === "inbound")} />
            <Figure name="libp2p" value={count(peers, ({ wire }) => wire === "libp2p")} detail="Cambium nodes" />
            <Figure name="RLPx" value={count(peers, ({ wire }) => wire === "rlpx")} detail="deployed network" />
            <Figure name="Banned" value={banned === undefined ? "–" : grouped(banned.length)} detail="addresses" />
          </Figures>
          {peers === undefined ? (
            <Lines lines={lines} isAlone={info !== undefined || scores === undefined} />
          ) : (
            <>
              <Card title="Connections" note="arrows point to the node that was dialled">
                <PeerGraph peers={peers} />
              </Card>
              <Connected peers={peers} scores={scores} />
            </>
          )}
          {info !== undefined && <Own {...info} />}
          {scores === undefined ? (
            <Missing what="scores (or it has no peers: --p2p)" flag="--rpc.modules sco" />
          ) : (
            <Scores scores={scores} banned={banned ?? []} />
          )}
        </>
      )}
    </Loaded>
  );
}

function count(peers: readonly ConnectedPeer[] | undefined, isCounted: (peer: ConnectedPeer) => boolean): string {
  return peers === undefined ? "–" : grouped(peers.filter(isCounted).length);
}

function Lines({ lines, isAlone }: { lines: readonly string[]; isAlone: boolean }) {
  return (
    <Card title="Connections">
      <div class="stack">
        <PeerGraph peers={lines.map(peerOf)} />
        <Missing
          what="details of its peers"
          flag={isAlone ? "--p2p --rpc.modules admin,sco" : "--rpc.modules admin,sco"}
        />
        <Table
          caption="Peers"
          empty="No peer is connected"
          rows={lines}
          keyOf={(line) => line}
          columns={[{ title: "Peer", cell: (line) => <code>{line}</code> }]}
        />
      </div>
    </Card>
  );
}

/** `<id> | <address>` */
function peerOf(line: string): GraphPeer {
  const [id = line, address = ""] = line.split(" | ");
  return { id, address };
}

function Connected({
  peers,
  scores = [],
}: {
  peers: readonly ConnectedPeer[];
  scores: readonly PeerScoring[] | undefined;
}) {
  const scoreOf = ({ scoringId }: ConnectedPeer) => scores.find(({ id }) => id === scoringId)?.score;
  return (
    <Card title="Peers" note={grouped(peers.length)}>
      <Table
        caption="Peers"
        empty="No peer is connected"
        rows={peers}
        keyOf={({ id }) => id}
        columns={[
          { title: "Peer", cell: ({ id }) => <Hash value={id} /> },
          { title: "Client", cell: ({ client }) => client || "–" },
          { title: "Wire", cell: ({ wire }) => <Badge tone={wire === "libp2p" ? "accent" : "plain"}>{wire}</Badge> },
          { title: "Direction", cell: ({ direction }) => direction },
          { title: "Address", cell: ({ address }) => <code>{address}</code> },
          { title: "Best block", isNumber: true, cell: ({ bestNumber }) => grouped(bestNumber) },
          { title: "Score", isNumber: true, cell: (peer) => scoreOf(peer) ?? "–" },
          { title: "Trusted", cell: ({ trusted }) => (trusted ? "yes" : "no") },
        ]}
      />
    </Card>
  );
}

function Own({ id, addresses, network }: NodeInfo) {
  return (
    <Card title="This node">
      <Facts>
        <Fact name="Peer id">{id === null ? "none: it connects to no peers" : <Hash value={id} whole />}</Fact>
        <Fact name="Network">{network}</Fact>
        <Fact name="Listens on">
          {addresses.length === 0
            ? "nothing"
            : addresses.map((address) => (
                <div key={address}>
                  <code>{address}</code>
                </div>
              ))}
        </Fact>
      </Facts>
    </Card>
  );
}

function Scores({ scores, banned }: { scores: readonly PeerScoring[]; banned: readonly string[] }) {
  return (
    <Card title="Scores" note={banned.length === 0 ? "nothing is banned" : `banned: ${banned.join(", ")}`}>
      <Table
        caption="Scores of nodes and addresses"
        empty="Nothing has been scored yet"
        rows={scores}
        keyOf={({ type, id }) => `${type} ${id}`}
        columns={[
          { title: "Id", cell: ({ id }) => <code>{id}</code> },
          { title: "Kind", cell: ({ type }) => type },
          { title: "Score", isNumber: true, cell: ({ score }) => grouped(score) },
          { title: "Reputation", cell: (one) => <Reputation {...one} /> },
          {
            title: "Blocks valid / invalid",
            isNumber: true,
            cell: (one) => `${one.validBlocks} / ${one.invalidBlocks}`,
          },
          {
            title: "Transactions valid / invalid",
            isNumber: true,
            cell: (one) => `${one.validTransactions} / ${one.invalidTransactions}`,
          },
          { title: "Timeouts", isNumber: true, cell: ({ timeoutMessages }) => grouped(timeoutMessages) },
          { title: "Punishments", isNumber: true, cell: ({ punishments }) => grouped(punishments) },
        ]}
      />
    </Card>
  );
}

function Reputation({ goodReputation, punishedUntil }: PeerScoring) {
  if (goodReputation) return <Badge tone="good">Good</Badge>;
  const left = (punishedUntil - Date.now()) / 1000;
  return <Badge tone="bad">{left > 0 ? `Punished for ${duration(left)}` : "Bad"}</Badge>;
}
