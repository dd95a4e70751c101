import type { NodeAdmin, PeerAdmin, Readiness } from "@cambium/api";
import type { Peer } from "@cambium/networking";

/** The only peer of {@link fakeNetwork}. */
export const PEER: Peer = {
  id: "16Uiu2HAmRmzXtqzUZXEcmtBmFwhtPJc6Wy6C5yKqTrNSAmNh7VaR",
  address: { ip: "192.0.2.7", port: 30330 },
  direction: "outbound",
  wire: "libp2p",
  capabilities: {} as never,
  isTrusted: false,
  status: {
    bestNumber: 5,
    bestHash: new Uint8Array(32).fill(5),
    totalDifficulty: 6n,
    earliestBody: 0,
    clientId: "Cambium/0.1.0",
  },
};

export function fakeNetwork(): PeerAdmin {
  return {
    ownId: "16Uiu2HAm4r9r1P3KmkHFXkTtiDyVMG8DkAJ4Bw3bgUoQgyFTjwbD",
    peers: () => [PEER],
    peer: (id) => (id === PEER.id ? PEER : undefined),
    dial: async () => PEER,
    disconnect: async () => undefined,
    listenAddresses: () => ["/ip4/198.51.100.2/tcp/30330/p2p/16Uiu2HAm4r9r1P3KmkHFXkTtiDyVMG8DkAJ4Bw3bgUoQgyFTjwbD"],
  };
}

export function fakeAdmin(): NodeAdmin {
  return {
    dataDir: "/var/lib/cambium",
    setLogLevels: () => undefined,
    reloadConfig: async () => ({ applied: ["log.level", "rpc.limit"], needRestart: ["http.port"] }),
    status: () => ({
      uptime: 86_400,
      memory: { resident: 536_870_912, available: 4_294_967_296, heapUsed: 134_217_728, heapLimit: 2_147_483_648 },
      disk: { free: 200_000_000_000, size: 500_000_000_000 },
      submissions: { accepted: 3, refused: 1 },
    }),
  };
}

/** A node in the middle of synchronisation. */
export function fakeReadiness(): Readiness {
  return {
    ready: false,
    reasons: ["4000000 blocks behind block 9000000, more than 10"],
    state: "synchronising",
    remedy: null,
    block: 5_000_000,
    target: 9_000_000,
    blockAge: 126_000_000,
    progress: 55.5,
    blocksPerSecond: 250,
    timeLeft: 16_000,
    peers: 8,
  };
}
