import assert from "node:assert/strict";
import { metricsAddress, scrape } from "@cambium/test-utils/clients/scraped-metrics";
import { startNode, THREADED, withFolder } from "@cambium/test-utils/node-cli";
import { bestOf, nodeFolder, type PeerNode, startPeerNode } from "@cambium/test-utils/peers/peer-nodes";
import { RpcClient, RpcFailure, until } from "@cambium/test-utils/rpc-client";

const FROM = "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826";
/** Address of the reward contract: it uses gas, but no state. */
const TO = "0x0000000000000000000000000000000001000008";

/** Members of `/ready` for a chain that has only genesis. */
const EMPTY_CHAIN = {
  block: 0,
  target: 0,
  blockAge: null,
  progress: null,
  blocksPerSecond: 0,
  timeLeft: null,
  trust: "work since genesis",
};

describe("the metrics of a running node", () => {
  it("count the work of all threads", async () => {
    await withFolder(async (folder) => {
      const flags = ["--mine", "--rpc.readers", "1", "--metrics.port", "0"];
      const node = await startNode("--network", "local", "--data-dir", folder, ...flags, ...THREADED);
      try {
        const rpc = new RpcClient(node.url, false);
        await rpc.call("eth_sendTransaction", { from: FROM, to: FROM, value: "0x1", gas: "0x5208" });
        assert.equal(await rpc.call("eth_blockNumber"), "0x1");
        assert.equal(await rpc.call("eth_getBalance", TO, "latest"), "0x0");
        for (const method of ["eth_noSuchMethod", "x".repeat(100)]) await assert.rejects(rpc.call(method), RpcFailure);
        await rpc.call("debug_traceBlockByNumber", "0x1", {});

        const metrics = await scrape(node.greeting);
        const has = (series: string, expected: number) => assert.equal(metrics.get(series), expected, series);
        const atLeast = (series: string, least: number) =>
          assert.ok(metrics.get(series)! >= least, `${series} ${metrics.get(series)}`);
        // A metric of the import thread.
        has("cambium_best_block_number", 1);
        has('cambium_block_imports_total{result="imported-best"}', 1);
        has('cambium_block_imports_total{result="invalid"}', 0);
        has("cambium_block_execution_gas_total", 21_000);
        for (const stage of ["decode", "validate", "execute", "state", "write"]) {
          has(`cambium_block_import_stage_seconds_count{stage="${stage}"}`, 1);
        }
        atLeast('cambium_block_import_stage_seconds_sum{stage="execute"}', 0.000_001);
        // A metric of the import thread's database writer.
        atLeast("cambium_database_batch_seconds_count", 1);
        atLeast("cambium_database_written_bytes_total", 500);
        // A metric of the reader, and of the main thread.
        has('cambium_rpc_request_seconds_count{method="eth_blockNumber"}', 1);
        has('cambium_rpc_request_seconds_bucket{method="eth_blockNumber",le="+Inf"}', 1);
        has('cambium_rpc_request_seconds_count{method="eth_sendTransaction"}', 1);
        has('cambium_rpc_request_seconds_count{method="unknown"}', 2);
        has('cambium_rpc_errors_total{method="unknown"}', 2);
        has('cambium_rpc_errors_total{method="eth_blockNumber"}', 0);
        // A method that was never called has no line.
        assert.equal(metrics.get('cambium_rpc_errors_total{method="eth_protocolVersion"}'), undefined);
        // A metric of a thread for heavy requests.
        atLeast("cambium_rpc_heavy_seconds_count", 1);
        has("cambium_rpc_heavy_waiting", 0);
        atLeast("cambium_disk_free_bytes", 1);
        for (const thread of ["main", "import", "reader", "database writer"]) {
          const series = `cambium_event_loop_lag_seconds_count{thread="${thread}"}`;
          await until(async () => (await scrape(node.greeting)).get(series)! > 0);
        }
      } finally {
        await node.stop();
      }
    });
  });

  it("come with its health: alive at once, ready while it has a peer and is synchronised", async () => {
    await withFolder(async (folder) => {
      const flags = ["--p2p.port", "0", "--p2p.host", "127.0.0.1", "--p2p.static", "--p2p.wires", "libp2p"];
      const node = await startNode("--network", "test", "--data-dir", folder, ...flags, "--metrics.port", "0");
      try {
        const address = metricsAddress(node.greeting);
        const alive = await fetch(`${address}/health`);
        assert.deepEqual([alive.status, await alive.json()], [200, { alive: true }]);
        const ready = await fetch(`${address}/ready`);
        const { remedy, ...answer } = (await ready.json()) as Record<string, unknown>;
        const reasons = ["no peer is connected"];
        const expected = { ...EMPTY_CHAIN, ready: false, reasons, state: "no-peers", peers: 0 };
        assert.deepEqual([ready.status, answer], [503, expected]);
        assert.match(String(remedy), /--p2p\.bootnodes/);
      } finally {
        await node.stop();
      }
      const local = await startNode("--network", "local", "--data-dir", `${folder}/local`, "--metrics.port", "0");
      try {
        const ready = await fetch(`${metricsAddress(local.greeting)}/ready`);
        const expected = { ...EMPTY_CHAIN, ready: true, reasons: [], state: "alone", remedy: null };
        assert.deepEqual([ready.status, await ready.json()], [200, expected]);
      } finally {
        await local.stop();
      }
    });
  });

  it("count what peers exchange, by wire and protocol", async () => {
    await withFolder(async (folder) => {
      const nodes: PeerNode[] = [];
      try {
        nodes.push(await startPeerNode(nodeFolder(folder, 0), [], "--metrics.port", "0"));
        nodes.push(await startPeerNode(nodeFolder(folder, 1), [nodes[0]!.address]));
        await until(async () => (await nodes[1]!.rpc.call("net_peerCount")) === "0x1");
        await nodes[1]!.rpc.call("evm_mine");
        await until(async () => (await bestOf(nodes[0]!)).number === 1);
        const metrics = await scrape(nodes[0]!.node.greeting);
        for (const [direction, protocol] of [
          ["received", "status"],
          ["sent", "status"],
          ["received", "gossip"],
          ["received", "negotiation"],
        ]) {
          const series = `cambium_peer_bytes_total{wire="libp2p",direction="${direction}",protocol="${protocol}"}`;
          assert.ok(metrics.get(series)! > 0, series);
        }
        for (const name of [
          "cambium_gossip_validation_seconds",
          "cambium_gossip_queue_length",
          "cambium_gossip_block_delay_seconds",
        ]) {
          assert.ok(metrics.text.includes(`# TYPE ${name} `), name);
        }
      } finally {
        for (const { node } of nodes) await node.stop();
      }
    });
  });
});
