import { join } from "node:path";
import type { ThreadedChain } from "@cambium/chain";
import { openNetwork, openPeerScoring, type PeerScoring, type RunningNetwork } from "@cambium/networking";
import { GossipService, SyncEngine, trackImports } from "@cambium/sync";
import type { TransactionPool } from "@cambium/txpool";
import type { Logger } from "pino";
import type { NodeOptions, PeerOptions } from "./options.js";

/** Everything that has to do with other nodes. */
export interface Peers {
  network: RunningNetwork;
  scoring: PeerScoring;
  engine: SyncEngine;
  /** Begins to ask and to listen to what is gossiped. */
  start(): void;
  stop(): Promise<void>;
}

/** Meets other nodes, without asking them for anything yet. Rejects with `NetworkingError`. */
export async function openPeers(
  options: NodeOptions & { peers: PeerOptions },
  ownChain: ThreadedChain,
  pool: TransactionPool,
  logger: Logger,
): Promise<Peers> {
  const chain = trackImports(ownChain);
  const { checkpoint, ...peerOptions } = options.peers;
  const folder = join(options.dataDir, "network");
  const scoring = openPeerScoring({ ...peerOptions, folder, now: Date.now, logger });
  const networking = {
    ...peerOptions,
    network: options.network,
    folder,
    clientId: options.version,
    servesSnapshots: false,
  };
  const sources = {
    chain,
    pooledTransaction: (hash: Uint8Array) => pool.get(hash)?.transaction.encoded,
    earliestBody: () => chain.earliestBlock(),
  };
  const network = await openNetwork(networking, { sources, scoring, logger }).catch(async (error) => {
    await scoring.close();
    throw error;
  });
  for (const address of network.listenAddresses()) logger.info(`Other nodes reach this one at ${address}`);
  const engine = new SyncEngine({ chain, network, logger }, checkpoint === undefined ? {} : { checkpoint });
  const gossip = new GossipService({ chain, pool, network, engine, now: () => Date.now() / 1000, logger });
  return {
    network,
    scoring,
    engine,
    start() {
      gossip.start();
      engine.start();
    },
    async stop() {
      await engine.stop();
      await gossip.stop();
      await network.stop();
      await scoring.close();
    },
  };
}
