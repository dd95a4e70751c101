import assert from "node:assert/strict";
import type { ScoringReport } from "@cambium/networking";
import { FakeChain } from "@cambium/test-utils/api/fake-chain";
import { FakeScoring } from "@cambium/test-utils/api/fake-scoring";
import type { ApiConfig } from "../src/config.js";
import { apiOver, ask, type Service } from "./support/service.js";

describe("sco", () => {
  let service: Service;

  beforeEach(() => {
    service = apiOver(new FakeChain(), {}, { scoring: new FakeScoring() });
  });

  it("is absent without peers", async () => {
    await assert.rejects(ask(apiOver(new FakeChain()), "sco_peerList"), { code: -32601 });
  });

  it("bans and unbans", async () => {
    assert.equal(await ask(service, "sco_banAddress", "192.0.2.1"), null);
    assert.equal(await ask(service, "sco_banAddress", "192.0.2.0/24"), null);
    assert.deepEqual(await ask(service, "sco_bannedAddresses"), ["192.0.2.1", "192.0.2.0/24"]);
    assert.equal(await ask(service, "sco_unbanAddress", "192.0.2.1"), null);
    assert.deepEqual(await ask(service, "sco_bannedAddresses"), ["192.0.2.0/24"]);
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
        await assert.rejects(ask(service, method, text), refusal);
      }
    });
  }

  it("lists, summarises and clears scorings", async () => {
    const [node, address] = await ask(service, "sco_peerList");
    assert.deepEqual([node.type, node.id, node.score, node.goodReputation], ["node", "b8f94fad", -1, false]);
    const { count, peersTotalScore, badReputationCount } = await ask(service, "sco_reputationSummary");
    assert.deepEqual([count, peersTotalScore, badReputationCount], [2, -2, 2]);
    assert.deepEqual(await ask(service, "sco_clearPeerScoring", "b8f94fad"), [address]);
    await assert.rejects(ask(service, "sco_clearPeerScoring", 7), { code: -32602 });
  });

  it("names peers only where tools of developers are served, as the API document does not", async () => {
    const peer = "16Uiu2HAmRmzXtqzUZXEcmtBmFwhtPJc6Wy6C5yKqTrNSAmNh7VaR";
    class NamingScoring extends FakeScoring {
      override peerList() {
        return super.peerList().map((report) => (report.type === "node" ? { ...report, peer } : report));
      }
    }
    const peers = async (compatibility: ApiConfig["compatibility"]) => {
      const service = apiOver(new FakeChain(), { compatibility }, { scoring: new NamingScoring() });
      const reports: ScoringReport[] = await ask(service, "sco_peerList");
      return reports.flatMap((report) => report.peer ?? []);
    };
    assert.deepEqual(await peers("development"), [peer]);
    for (const other of ["specification", "deployed"] as const) assert.deepEqual(await peers(other), []);
  });
});
