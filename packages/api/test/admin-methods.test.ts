import assert from "node:assert/strict";
import { NetworkingError } from "@cambium/networking";
import { fakeAdmin, fakeNetwork, fakeReadiness, PEER } from "@cambium/test-utils/api/fake-admin";
import { FakeChain } from "@cambium/test-utils/api/fake-chain";
import { FakeScoring } from "@cambium/test-utils/api/fake-scoring";
import type { NodeAdmin, PeerAdmin } from "../src/sources/node.js";
import { apiOver, ask } from "./support/service.js";

describe("admin", () => {
  function service(network: Partial<PeerAdmin> = {}, admin: NodeAdmin = fakeAdmin()) {
    const scoring = new FakeScoring();
    const parts = { admin, network: { ...fakeNetwork(), ...network }, scoring };
    return { api: apiOver(new FakeChain(), {}, parts), scoring };
  }

  it("has the methods about peers only on a node that has some", async () => {
    const alone = apiOver(new FakeChain(), {}, { admin: fakeAdmin() });
    await assert.rejects(ask(alone, "admin_peers"), { code: -32601 });
    const { id, addresses, chainId } = await ask(alone, "admin_nodeInfo");
    assert.deepEqual([id, addresses, chainId], [null, [], 33]);
  });

  it("connects to peers, and disconnects them", async () => {
    const calls: string[] = [];
    const { api } = service({
      dial: async (address) => {
        calls.push(`dial ${address}`);
        return PEER;
      },
      disconnect: async (peer) => void calls.push(`disconnect ${peer}`),
    });
    assert.equal((await ask(api, "admin_addPeer", "enode://…")).id, PEER.id);
    assert.equal(await ask(api, "admin_removePeer", PEER.id), true);
    assert.equal(await ask(api, "admin_removePeer", "another"), false);
    assert.deepEqual(calls, ["dial enode://…", `disconnect ${PEER.id}`]);
  });

  it("says why a peer cannot be reached", async () => {
    const failing = (error: Error) => service({ dial: () => Promise.reject(error) }).api;
    const malformed = new NetworkingError({ code: "INVALID_OPTION", option: "peer", reason: "no address" });
    await assert.rejects(ask(failing(malformed), "admin_addPeer", "x"), { code: -32602, message: malformed.message });
    const gone = new NetworkingError({ code: "DISCONNECTED", peer: "x" });
    await assert.rejects(ask(failing(gone), "admin_addPeer", "x"), { code: -32000, message: gone.message });
    await assert.rejects(ask(service().api, "admin_addPeer", 7), { code: -32602 });
  });

  it("bans the address of a peer, or an address, and lifts the ban", async () => {
    const { api, scoring } = service();
    assert.equal(await ask(api, "admin_banPeer", PEER.id), "192.0.2.7");
    assert.equal(await ask(api, "admin_banPeer", "198.51.100.0/24"), "198.51.100.0/24");
    assert.deepEqual(scoring.bannedAddresses(), ["192.0.2.7", "198.51.100.0/24"]);
    assert.equal(await ask(api, "admin_unbanPeer", "192.0.2.7"), true);
    assert.deepEqual(scoring.bannedAddresses(), ["198.51.100.0/24"]);
    await assert.rejects(ask(api, "admin_banPeer", "here"), { code: -32602 });
  });

  it("sets the levels of a log that has some", async () => {
    const set: string[] = [];
    const { status } = fakeAdmin();
    const { api } = service({}, { dataDir: "/data", status, setLogLevels: (levels) => void set.push(levels) });
    assert.equal(await ask(api, "admin_setLogLevel", "warn"), true);
    assert.deepEqual(set, ["warn"]);
    const fixed = service({}, { dataDir: "/data", status }).api;
    await assert.rejects(ask(fixed, "admin_setLogLevel", "warn"), { code: -32000 });
    await assert.rejects(ask(fixed, "admin_reloadConfig"), { code: -32000 });
    assert.equal(await ask(fixed, "admin_datadir"), "/data");
  });

  it("reports memory, disk and submitted work", async () => {
    const api = apiOver(new FakeChain(), {}, { admin: fakeAdmin() });
    const status = await ask(api, "debug_nodeStatus");
    assert.deepEqual(status, fakeAdmin().status());
  });
});

describe("net_readiness", () => {
  it("is what the node says of itself, where it says something", async () => {
    const api = apiOver(new FakeChain(), {}, { readiness: fakeReadiness });
    assert.deepEqual(await ask(api, "net_readiness"), fakeReadiness());
    await assert.rejects(ask(apiOver(new FakeChain()), "net_readiness"), { code: -32601 });
  });
});
