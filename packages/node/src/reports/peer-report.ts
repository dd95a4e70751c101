import type { NetworkEvent, PeerNetwork } from "@cambium/networking";
import { authority, type Clock, LimitedLines, platformClock } from "@cambium/primitives";
import type { Logger } from "pino";
import type { PeerOptions } from "../options.js";

/** Limit of log lines per wire of a public network. Peers usually come and go slowly; a flood is summarised. */
const LIMIT = { lines: 20, window: 60_000 };
/** Milliseconds without a peer after which the node logs possible reasons, at first and then again. */
const FIRST_ADVICE = 10_000;
const NEXT_ADVICE = 300_000;

type Reach = Pick<PeerOptions, "wires" | "bootNodes" | "rlpx" | "discovery">;

/** Log of the peers. */
export interface PeerReport {
  /** Returns advice while there is no peer, once the node has waited for one. */
  advice(): string | undefined;
  end(): void;
}

/** Logs which peers connect and disconnect, and what to do while there is none. */
export function reportPeers(
  network: Pick<PeerNetwork, "on" | "peers">,
  options: Reach,
  logger: Logger,
  clock: Clock = platformClock,
): PeerReport {
  const lines = new LimitedLines(
    LIMIT,
    (count) => logger.info({ events: count, peers: network.peers().length }, "More peers connected or lost"),
    clock,
  );
  const stopListening = network.on((event) => {
    if (event.kind === "peerStatus" || !logger.isLevelEnabled("info") || !lines.admit()) return;
    logger.info(peerFields(event, network.peers().length), titleOf(event));
  });
  const isAlone = findsNoPeers(options);
  let advice: string | undefined;
  let cancel: () => void = () => undefined;
  const advise = () => {
    advice = isAlone ? alone(options) : unreachable(options);
    if (network.peers().length === 0) logger.warn(advice);
    cancel = clock.after(NEXT_ADVICE, advise);
  };
  if (isAlone) advise();
  else cancel = clock.after(FIRST_ADVICE, advise);
  return {
    advice: () => advice,
    end() {
      stopListening();
      lines.stop();
      cancel();
    },
  };
}

function titleOf({ kind }: NetworkEvent): string {
  return kind === "peerConnected" ? "Peer connected" : "Peer lost";
}

function peerFields(event: NetworkEvent, peers: number): object {
  const { id, address, direction, wire, status } = event.peer;
  const about = { peer: id, address: authority({ host: address.ip, port: address.port }), wire, direction };
  return event.kind === "peerDisconnected"
    ? { ...about, reason: event.reason, peers }
    : { ...about, client: status.clientId, best: status.bestNumber, peers };
}

/** Whether no address of another node is configured on any wire. */
function findsNoPeers({ wires, bootNodes, rlpx, discovery }: Reach): boolean {
  const overRlpx = rlpx.nodes.length > 0 || (discovery && rlpx.bootNodes.length > 0);
  return !(wires.includes("libp2p") && bootNodes.length > 0) && !(wires.includes("rlpx") && overRlpx);
}

function alone({ wires, rlpx, discovery }: Reach): string {
  const isKept = wires.includes("rlpx") && rlpx.bootNodes.length > 0 && !discovery;
  return (
    "No peers, and no boot nodes to find some: the node waits for inbound connections and dials known peers only. " +
    (isKept ? "Those of the deployed network are not asked because of --p2p.static: leave it out, or name" : "Name") +
    " a node with --p2p.bootnodes (/ip4/…/tcp/…/p2p/<peer id>) or --p2p.nodes (enode://…), or run without peers with --no-p2p"
  );
}

function unreachable(options: Reach): string {
  const udp = options.wires.includes("rlpx") ? `, and UDP to port ${options.rlpx.bootNodes[0]?.port ?? 5050}` : "";
  return (
    "No peers: no boot node has answered, so there is nothing to synchronise from. Check that this machine has a connection to the " +
    `internet, resolves names, and that no firewall blocks outgoing TCP${udp}. --p2p.bootnodes and --p2p.nodes name other nodes`
  );
}
