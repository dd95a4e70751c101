import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fakeAdmin, fakeNetwork } from "@cambium/test-utils/api/fake-admin";
import { FakeChain } from "@cambium/test-utils/api/fake-chain";
import { FakeScoring } from "@cambium/test-utils/api/fake-scoring";
import { jsonRpcPage } from "../scripts/json-rpc-page.js";
import { DEFAULT_RPC_CONFIG, moduleConfig } from "../src/index.js";
import { ask, config, dispatcherOver, type Json, SILENT } from "./support/service.js";

const NOT_FOUND = { code: -32601 };

describe("served methods", () => {
  const parts = { admin: fakeAdmin(), network: fakeNetwork(), scoring: new FakeScoring() };

  it("are those that discovery describes", async () => {
    const [eth, debug] = [{ disabledMethods: ["eth_call"] }, { enabled: false }].map(moduleConfig);
    const modules = { ...config().modules, eth: eth!, debug: debug! };
    const document = await ask(dispatcherOver(new FakeChain(), { modules }), "rpc.discover");
    const names = document.methods.map(({ name }: Json) => name);
    assert(names.includes("eth_getLogs") && names.includes("rpc.discover"));
    assert(!names.includes("eth_call") && !names.includes("debug_traceTransaction"));
  });

  it("do not expose the inside of the node by default where others can connect", async () => {
    const http = { ...DEFAULT_RPC_CONFIG.http, host: "0.0.0.0" };
    const shared = dispatcherOver(new FakeChain(), { http }, SILENT, parts);
    for (const name of ["debug_traceTransaction", "debug_nodeStatus", "trace_block", "sco_peerList"]) {
      await assert.rejects(ask(shared, name), NOT_FOUND, name);
    }
    await assert.rejects(ask(shared, "chain_getStorageBytesAt"), NOT_FOUND);
  });

  it("include those of the operator only if their module is enabled by name", async () => {
    const modules = { ...config().modules, admin: moduleConfig() };
    const [usual, enabled] = [{}, { modules }].map((changes) =>
      dispatcherOver(new FakeChain(), changes, SILENT, parts),
    );
    await assert.rejects(ask(usual!, "admin_nodeInfo"), NOT_FOUND);
    assert.equal(await ask(enabled!, "admin_datadir"), fakeAdmin().dataDir);
  });

  it("are listed by module, with its version", async () => {
    const modules = { eth: moduleConfig({ version: "7.2" }), rpc: moduleConfig() };
    const versions = await ask(dispatcherOver(new FakeChain(), { modules }), "rpc_modules");
    assert.deepEqual(versions, { eth: "7.2", rpc: "1.0" });
  });

  it("docs/json-rpc.md is up to date", () => {
    const page = readFileSync(new URL("../../../docs/json-rpc.md", import.meta.url), "utf8");
    assert.equal(page, jsonRpcPage(), "docs/json-rpc.md is stale: run `npm run docs`");
  });
});
