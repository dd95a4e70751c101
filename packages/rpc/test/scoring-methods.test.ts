import assert from "node:assert/strict";
import type { ScoringReport } from "@cambium/networking";
import type { RpcConfig } from "../src/config.js";
import { DEFAULT_RPC_CONFIG, moduleConfig } from "../src/index.js";
import type { Dispatcher } from "../src/requests/dispatcher.js";
import { FakeChain } from "./support/fake-chain.js";
import { FakeScoring } from "./support/fake-scoring.js";
import { ask, config, dispatcherOver, SILENT } from "./support/service.js";

describe("sco", () => {
  let dispatcher: Dispatcher;

  beforeEach(() => {
    const modules = { ...config().modules, sco: moduleConfig() };
    dispatcher = dispatcherOver(new FakeChain(), { modules }, SILENT, { scoring: new FakeScoring() });
  });

  it("is disabled by default where others can connect, and absent without peers", async () => {
    const http = { ...DEFAULT_RPC_CONFIG.http, host: "0.0.0.0" };
    const off = dispatcherOver(new FakeChain(), { http }, SILENT, { scoring: new FakeScoring() });
    const alone = dispatcherOver(new FakeChain(), { modules: { sco: moduleConfig() } });
    for (const one of [off, alone]) await assert.rejects(ask(one, "sco_peerList"), { code: -32601 });
  });

  it("bans and unbans", async () => {
    assert.equal(await ask(dispatcher, "sco_banAddress", "192.0.2.1"), null);
    assert.equal(await ask(dispatcher, "sco_banAddress", "192.0.2.0/24"), null);
    assert.deepEqual(await ask(dispatcher, "sco_bannedAddresses"), ["192.0.2.1", "192.0.2.0/24"]);
    assert.equal(await ask(dispatcher, "sco_unbanAddress", "192.0.2.1"), null);
    assert.deepEqual(await ask(dispatcher, "sco_bannedAddresses"), ["192.0.2.0/24"]);
  });

  for (const [text, shown] of [
    ["here", "here"],
    ["", ""],
    [null, "null"],
    [5, "5"],
  ] as const) {
    it(`refuses to ban ${JSON.stringify(text)}`, async () => {
      const refusal = { code: -32602, message: `invalid banned address ${shown}` };
      for (const method of ["sco_banAddress", "sco_unbanAddress"]) {
        await assert.rejects(ask(dispatcher, method, text), refusal);
      }
    });
  }

  it("lists, summarises and clears scorings", async () => {
    const [node, address] = await ask(dispatcher, "sco_peerList");
    assert.deepEqual([node.type, node.id, node.score, node.goodReputation], ["node", "b8f94fad", -1, false]);
    const { count, peersTotalScore, badReputationCount } = await ask(dispatcher, "sco_reputationSummary");
    assert.deepEqual([count, peersTotalScore, badReputationCount], [2, -2, 2]);
    assert.deepEqual(await ask(dispatcher, "sco_clearPeerScoring", "b8f94fad"), [address]);
    await assert.rejects(ask(dispatcher, "sco_clearPeerScoring", 7), { code: -32602 });
  });

  it("names peers only where tools of developers are served, as the API document does not", async () => {
    const peer = "16Uiu2HAmRmzXtqzUZXEcmtBmFwhtPJc6Wy6C5yKqTrNSAmNh7VaR";
    class NamingScoring extends FakeScoring {
      override peerList() {
        return super.peerList().map((report) => (report.type === "node" ? { ...report, peer } : report));
      }
    }
    const peers = async (compatibility: RpcConfig["compatibility"]) => {
      const dispatcher = dispatcherOver(new FakeChain(), { compatibility }, SILENT, { scoring: new NamingScoring() });
      const reports: ScoringReport[] = await ask(dispatcher, "sco_peerList");
      return reports.flatMap((report) => report.peer ?? []);
    };
    assert.deepEqual(await peers("development"), [peer]);
    for (const other of ["specification", "deployed"] as const) assert.deepEqual(await peers(other), []);
  });
});
