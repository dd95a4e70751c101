import assert from "node:assert/strict";
import { NETWORKS } from "@cambium/config";
import { CliError } from "../src/errors.js";
import { type Given, valuesOf } from "../src/flags/flag.js";
import { PEER_FLAGS, peerOptions, SYNC_FLAGS } from "../src/peer-options.js";
import { STATE_FLAGS, stateOptions } from "../src/state-options.js";

const FLAGS = { ...PEER_FLAGS, ...SYNC_FLAGS, ...STATE_FLAGS };
type GivenFlags = { [N in keyof typeof FLAGS]?: Given };

const HASH = "11".repeat(32);

function optionsOf(flags: GivenFlags, network: keyof typeof NETWORKS) {
  return peerOptions(valuesOf(FLAGS, flags), NETWORKS[network]);
}

function refused(flags: GivenFlags, option: string): void {
  assert.throws(
    () => optionsOf(flags, "local"),
    (error) => error instanceof CliError && "option" in error.details && error.details.option === option,
  );
}

describe("peer options", () => {
  it("enable peers by default on public networks only", () => {
    assert.equal(optionsOf({}, "local"), undefined);
    assert.equal(optionsOf({ p2p: false }, "main"), undefined);
    assert.deepEqual(optionsOf({}, "main")?.listen, ["/ip4/0.0.0.0/tcp/30330", "/ip6/::/tcp/30330"]);
    assert.deepEqual(optionsOf({ p2p: true }, "local")?.listen, ["/ip4/127.0.0.1/tcp/30333"]);
    assert.deepEqual(optionsOf({ "p2p.port": "7" }, "local")?.listen, ["/ip4/127.0.0.1/tcp/7"]);
  });

  it("split lists at spaces and commas", () => {
    const options = optionsOf({ "p2p.host": "1.2.3.4  [::1]", "p2p.banned": "16Uiu2,10.0.0.0/8, fd00::1" }, "main");
    assert.deepEqual(options?.listen, ["/ip4/1.2.3.4/tcp/30330", "/ip6/::1/tcp/30330"]);
    assert.deepEqual(options?.bannedPeers, ["16Uiu2"]);
    assert.deepEqual(options?.bannedAddresses, ["10.0.0.0/8", "fd00::1"]);
  });

  it("connect with both wires on public networks, and with nodes of the deployed network", () => {
    assert.deepEqual(optionsOf({}, "main")?.wires, ["libp2p", "rlpx"]);
    assert.deepEqual(optionsOf({ p2p: true }, "local")?.wires, ["libp2p"]);
    assert.deepEqual(optionsOf({ "p2p.wires": "rlpx" }, "local")?.wires, ["rlpx"]);
    refused({ "p2p.wires": "rlpx,tcp" }, "--p2p.wires");
    refused({ "p2p.wires": "" }, "--p2p.wires");
    const { rlpx } = optionsOf({}, "main")!;
    assert.equal(rlpx.port, 5050);
    assert.equal(rlpx.bootNodes.length, 16);
    const own = optionsOf({ "p2p.bootnodes": "/ip4/1.2.3.4/tcp/1/p2p/16Uiu2 a.example:7 [::1]:8" }, "main")!;
    assert.deepEqual(own.bootNodes, ["/ip4/1.2.3.4/tcp/1/p2p/16Uiu2"]);
    assert.deepEqual(own.rlpx.bootNodes, [
      { host: "a.example", port: 7 },
      { host: "::1", port: 8 },
    ]);
    refused({ "p2p.bootnodes": "a.example" }, "--p2p.bootnodes");
  });

  it("parse a checkpoint", () => {
    const checkpoint = optionsOf({ p2p: true, "sync.checkpoint": `12:0x${HASH}` }, "local")?.checkpoint;
    assert.deepEqual(checkpoint, { number: 12, hash: new Uint8Array(Buffer.from(HASH, "hex")) });
    for (const text of ["12", `12:${HASH}00`, `x:${HASH}`, "12:0x"]) {
      refused({ p2p: true, "sync.checkpoint": text }, "--sync.checkpoint");
    }
  });

  it("refuse synchronisation flags for a node without peers", () => {
    refused({ "sync.mode": "snapshot" }, "--sync.mode");
    refused({ "sync.checkpoint": `12:${HASH}` }, "--sync.checkpoint");
    refused({ p2p: false, "sync.mode": "snapshot" }, "--sync.mode");
    refused({ history: "blocks" }, "--history");
  });

  it("fill the history after a snapshot of peers, otherwise only if a flag says so", () => {
    assert.equal(optionsOf({}, "main")!.fillsHistory, false);
    assert.equal(optionsOf({ history: "headers" }, "main")!.fillsHistory, false);
    assert.equal(optionsOf({ "sync.mode": "snapshot" }, "main")!.fillsHistory, true);
    assert.equal(optionsOf({ "sync.mode": "snapshot", history: "headers" }, "main")!.fillsHistory, false);
    assert.equal(optionsOf({ history: "blocks" }, "main")!.fillsHistory, true);
    refused({ history: "receipts" }, "--history");
  });

  it("keep all blocks, unless a flag says how many", () => {
    const blocks = (flags: GivenFlags) => stateOptions(valuesOf(FLAGS, flags), NETWORKS.main).blocks;
    assert.equal(blocks({}), undefined);
    assert.equal(blocks({ prune: true }), 1_260_000);
    assert.equal(blocks({ "history.blocks": "20000" }), 20_000);
    assert.equal(blocks({ "history.blocks": "20000", prune: true }), 20_000);
    assert.throws(() => blocks({ "history.blocks": "all" }), CliError);
    assert.throws(() => blocks({ "history.blocks": "9999" }), /from 10000 on/);
  });

  it("do not fill the history if only the latest blocks are kept", () => {
    const snapshot = { "sync.mode": "snapshot" };
    assert.equal(optionsOf({ ...snapshot, "history.blocks": "20000" }, "main")!.fillsHistory, false);
    assert.equal(optionsOf({ ...snapshot, prune: true }, "main")!.fillsHistory, false);
    assert.equal(optionsOf({ history: "headers", prune: true }, "main")!.fillsHistory, false);
    refused({ p2p: true, history: "blocks", "history.blocks": "20000" }, "--history");
    refused({ p2p: true, history: "blocks", prune: true }, "--history");
  });

  it("refuse values out of range", () => {
    refused({ "p2p.port": "65536" }, "--p2p.port");
    refused({ "p2p.max-peers": "many" }, "--p2p.max-peers");
    const limits = optionsOf({ "p2p.max-peers": "30" }, "main")!.limits;
    assert.equal(limits.maximum, 30);
    assert.ok(limits.target <= 30 && limits.minimumOutbound < limits.target);
  });
});
