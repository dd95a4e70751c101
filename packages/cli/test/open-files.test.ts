import assert from "node:assert/strict";
import { NETWORKS } from "@cambium/config";
import { peerDefaults } from "@cambium/node/options";
import { DEFAULT_RPC_CONFIG } from "@cambium/rpc/config";
import { CliError } from "../src/errors.js";
import { valuesOf } from "../src/flags/flag.js";
import { fitOpenFiles, type OpenFileUses } from "../src/open-files.js";
import { PEER_FLAGS, peerOptions, SYNC_FLAGS } from "../src/peer-options.js";

const { http, ws, connections } = DEFAULT_RPC_CONFIG;
const rpc = { ...DEFAULT_RPC_CONFIG, ws: { ...ws, port: http.port + 1 } };
const oneListener = { ...rpc, ws: { ...ws, port: http.port } };
const peers = peerOptions(valuesOf({ ...PEER_FLAGS, ...SYNC_FLAGS }, {}), NETWORKS.main);

const isRefused = (error: unknown) => error instanceof CliError && error.details.code === "START";

/** Connections that a limit of open files leaves to HTTP, to WebSocket, and to one client. */
function accepted(uses: OpenFileUses, limit: number): number[] {
  const { rpc } = fitOpenFiles(uses, limit);
  return [rpc.http.maxConnections, rpc.ws.maxConnections, rpc.connections.perClient];
}

describe("the limit of open files", () => {
  it("changes nothing if all connections fit, or if it is unknown", () => {
    for (const limit of [65_536, Number.POSITIVE_INFINITY]) {
      assert.deepEqual(fitOpenFiles({ rpc, peers }, limit), { rpc, warning: undefined });
    }
  });

  it("leaves less to JSON-RPC if it is low, in proportion, and says so", () => {
    const [forHttp, forWs, forClient] = accepted({ rpc, peers }, 1_024) as [number, number, number];
    assert.ok(forHttp >= 100 && forHttp < http.maxConnections);
    assert.equal(forWs, forHttp);
    assert.equal(forClient, Math.floor((forHttp * connections.perClient) / http.maxConnections));
    const { warning } = fitOpenFiles({ rpc, peers }, 1_024);
    assert.match(warning!, new RegExp(`^Only 1024 open files .*HTTP ${forHttp} and WebSocket ${forWs} .*ulimit -n`));
  });

  it("counts each use: peers, their addresses, metrics, reader threads, a listener of WebSocket", () => {
    const usual = accepted({ rpc }, 1_024)[0]!;
    const { limits } = peerDefaults(NETWORKS.main);
    const many = { ...peers!, limits: { ...limits, maximum: limits.maximum + 50 } };
    const trusted = { ...peers!, trustedPeers: Array.from({ length: 50 }, (_, i) => `peer ${i}`) };
    const hosts = { ...peers!, rlpx: { ...peers!.rlpx, hosts: ["192.0.2.1", "192.0.2.2", "::"] } };
    const withPeers = accepted({ rpc, peers }, 1_024)[0]!;
    assert.ok(withPeers < usual);
    for (const more of [many, trusted, hosts]) assert.ok(accepted({ rpc, peers: more }, 1_024)[0]! < withPeers);
    const metrics = { host: "127.0.0.1", port: 0, hosts: [], maxLag: 1 };
    assert.ok(accepted({ rpc, metrics }, 1_024)[0]! < usual);
    assert.ok(accepted({ rpc: { ...rpc, readers: 8 } }, 1_024)[0]! < usual);
    for (const one of [oneListener, { ...rpc, ws: { ...rpc.ws, enabled: false } }]) {
      assert.ok(accepted({ rpc: one }, 1_024)[0]! > usual);
    }
  });

  it("refuses to start if too few connections remain", () => {
    for (const limit of [64, 400]) assert.throws(() => fitOpenFiles({ rpc }, limit), isRefused);
    assert.throws(() => fitOpenFiles({ rpc, peers }, 600), isRefused);
    fitOpenFiles({ rpc: oneListener }, 400);
    const few = { ...rpc, http: { ...http, maxConnections: 10 }, ws: { ...rpc.ws, maxConnections: 10 } };
    assert.equal(fitOpenFiles({ rpc: few }, 300).warning, undefined);
  });

  it("sets no limit for a client that has none", () => {
    const unlimited = { ...rpc, connections: { ...connections, perClient: 0 } };
    assert.equal(accepted({ rpc: unlimited }, 1_024)[2], 0);
  });
});
