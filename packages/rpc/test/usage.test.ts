import assert from "node:assert/strict";
import { main } from "@cambium/config";
import { measurementFamilies } from "@cambium/primitives";
import { FakeChain } from "@cambium/test-utils/api/fake-chain";
import { DEFAULT_RPC_CONFIG, type RpcConfig, type RpcServer } from "../src/index.js";
import { UsageMeter } from "../src/usage/usage-meter.js";
import { answered, refused, UsageTable } from "../src/usage/usage-table.js";
import { JSON_HEADERS, send } from "./support/http-client.js";
import { config, serverOver } from "./support/service.js";
import { WsClient } from "./support/ws-client.js";

const CHAIN_ID = { jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] };
const ANSWER = '{"jsonrpc":"2.0","id":1,"result":"0x1e"}';

async function serving(
  changes: Partial<RpcConfig>,
  test: (port: number, server: RpcServer) => Promise<void>,
): Promise<void> {
  const http = { ...DEFAULT_RPC_CONFIG.http, port: 0 };
  const ws = { ...DEFAULT_RPC_CONFIG.ws, port: 0 };
  const server = serverOver(new FakeChain(main), config({ http, ws, ...changes }));
  const { port } = await server.listen();
  try {
    await test(port, server);
  } finally {
    await server.close();
  }
}

const ask = (port: number, secret: string, body: unknown) =>
  send({ port, path: `/${secret}`, headers: JSON_HEADERS, body: JSON.stringify(body) });

/** The values of a metric by key. */
function metric(name: string): Map<string, number> {
  const { series } = measurementFamilies().find((family) => family.name === name)!;
  return new Map(series.map((one) => [one.labels.key!, one.values()[0]!]));
}

describe("the usage of API keys", () => {
  it("is added up by key and class until it is taken, and lost beyond a bound", () => {
    const table = new UsageTable();
    table.add(answered("a", "read", 10, false));
    table.add(answered("a", "trace", 20, true));
    table.add(answered("a", "read", 5, false));
    table.add(refused("b", "call", 3));
    assert.deepEqual(table.take(), [
      { key: "a", class: "read", requests: 2, units: 2, bytes: 15, errors: 0, refused: 0 },
      { key: "a", class: "trace", requests: 1, units: 50, bytes: 20, errors: 1, refused: 0 },
      { key: "b", class: "call", requests: 0, units: 0, bytes: 0, errors: 0, refused: 3 },
    ]);
    assert.deepEqual(table.take(), []);
    for (let i = 0; i < 100_001; i++) table.add(answered(`${i}`, "read", 1, false));
    assert.equal(table.lost, 1);
    assert.equal(table.take().length, 100_000);
  });

  it("has metrics by name for a hundred keys, and together for all others", () => {
    const meter = new UsageMeter();
    const [one, two] = [meter.table(), meter.table()];
    const before = metric("cambium_rpc_key_requests_total").get("other")!;
    for (let i = 0; i < 103; i++) meter.add(answered(`metered-${i}`, "call", 7, i === 5));
    const requests = metric("cambium_rpc_key_requests_total");
    assert.deepEqual([requests.get("metered-99"), requests.get("metered-100")], [1, undefined]);
    assert.equal(requests.get("other"), before + 3);
    assert.equal(metric("cambium_rpc_key_units_total").get("metered-5"), 5);
    assert.equal(metric("cambium_rpc_key_errors_total").get("metered-5"), 1);
    assert.equal(metric("cambium_rpc_key_response_bytes_total").get("metered-5"), 7);
    assert.deepEqual([one.take().length, two.take().length], [103, 103]);
  });

  it("has the requests, errors, bytes and refusals of each key over HTTP and WebSocket, without the secret", async () => {
    const auth = { keys: ["first-secret", "second-secret"] };
    await serving({ auth, rateLimit: { requests: 5, window: 3_600_000 } }, async (port, server) => {
      const table = server.usage();
      await ask(port, "first-secret", [
        CHAIN_ID,
        { ...CHAIN_ID, method: "trace_block" },
        { ...CHAIN_ID, id: undefined },
      ]);
      const client = await WsClient.open(port, "/first-secret");
      await client.result("eth_chainId");
      await ask(port, "second-secret", CHAIN_ID);
      assert.equal((await ask(port, "first-secret", [CHAIN_ID, CHAIN_ID])).status, 429);
      const rows = table.take();
      assert(!JSON.stringify(rows).includes("secret"));
      const [first, second] = [...new Set(rows.map(({ key }) => key))];
      const [read, trace, other] = rows;
      assert.deepEqual(read, {
        key: first,
        class: "read",
        requests: 3,
        units: 3,
        bytes: 2 * ANSWER.length,
        errors: 0,
        refused: 2,
      });
      assert.deepEqual([trace!.class, trace!.requests, trace!.units, trace!.errors], ["trace", 1, 50, 1]);
      assert.deepEqual(other, {
        key: second,
        class: "read",
        requests: 1,
        units: 1,
        bytes: ANSWER.length,
        errors: 0,
        refused: 0,
      });
      assert.match(first!, /^file:[0-9a-f]{8}$/);
    });
  });

  it("is not counted without keys", async () => {
    await serving({}, async (port, server) => {
      const table = server.usage();
      await ask(port, "", CHAIN_ID);
      assert.deepEqual(table.take(), []);
    });
  });
});
