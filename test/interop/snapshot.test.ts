import assert from "node:assert/strict";
import { join } from "node:path";
import { runCli } from "@cambium/test-utils/node-cli";
import { mineOrigin } from "../e2e/snapshot-origin.js";
import { readBlockLines } from "./block-lines.js";
import { type InteropNode, tipOf } from "./interop-node.js";
import { useNodes } from "./node-group.js";
import { dialling, type ReferenceNode } from "./reference-node.js";
import { feed, UNLIMITED_INTAKE } from "./unpaced-client.js";
import { waitFor } from "./wait-for.js";

/** Number of blocks: the first height with a snapshot is 5000 (`spec/07 §B.7`). */
const BLOCKS = 5_100;
/** Numbers of blocks with the contracts that make the state several chunks large. */
const CONTRACTS = [2, 3, 75, 149];
/** Distance of a snapshot in chunks of headers: fewer leave fewer blocks to be executed. */
const CHUNKS_BEHIND = 2;
const OF_DEPLOYED = 5_000 - CHUNKS_BEHIND * 192;
const OF_CAMBIUM = 5_000 - 3_840;
/**
 * Distance at which a deployed node chooses a snapshot: less than that from genesis, more than that from the snapshot.
 */
const DISTANCE = 4_500;
/** Number of blocks above the snapshot that a node must have executed. */
const EXECUTED = 200;
const SECONDS = 300;

describe("a snapshot", function () {
  this.timeout(30 * 60_000);
  const nodes = useNodes();
  let origin: InteropNode;
  let deployed: ReferenceNode;

  it("is available from nodes of both kinds, with the same chain", async () => {
    const flags = ["--network", "local", "--data-dir", nodes.folderOf("origin")];
    await mineOrigin(nodes.folderOf("origin"), BLOCKS);
    const file = join(nodes.folder, "blocks.txt.gz");
    const { status, stderr } = await runCli("export", file, "--from", "1", "--to", String(BLOCKS), ...flags);
    assert.equal(status, 0, stderr);
    origin = await nodes.cambium("origin");
    const settings = { "sync.snapshot.server.enabled": true, "sync.maxSkeletonChunks": CHUNKS_BEHIND };
    const filled = await nodes.reference("deployed", { settings: UNLIMITED_INTAKE });
    await feed(
      filled,
      readBlockLines([file]).map(({ block }) => block),
    );
    await nodes.stop(filled);
    deployed = await nodes.reference("deployed", { settings });
    assert.deepEqual(await tipOf(deployed), await tipOf(origin));
  });

  /** Checks that a node has the state of a snapshot, and continues from it. */
  async function continues(fresh: InteropNode, snapshot: number): Promise<void> {
    const height = snapshot + EXECUTED;
    await waitFor(
      `${fresh.name} executes block ${height}`,
      () => tipOf(fresh),
      ({ number }) => number >= height,
      SECONDS,
    );
    for (const number of CONTRACTS) {
      const address = await contractOf(origin, number);
      const [expected, code] = await Promise.all(
        [origin, fresh].map(({ rpc }) => rpc.call("eth_getCode", address, "latest")),
      );
      assert.equal(code, expected);
    }
  }

  it("of a deployed node starts a node of this project", async function () {
    if (deployed === undefined) this.skip();
    const fresh = await nodes.cambium("fresh", "--sync.mode", "snapshot", "--p2p.nodes", deployed.enode);
    await continues(fresh, OF_DEPLOYED);
    const [hash] = (await blockAt(origin, 2)).transactions;
    await assert.rejects(fresh.rpc.call("eth_getTransactionReceipt", hash), /snapshot/);
    await nodes.stop(fresh);
  });

  it("of a node of this project starts a deployed node", async function () {
    if (deployed === undefined) this.skip();
    const fresh = await nodes.reference("fresh-deployed", {
      settings: { ...dialling(origin), "sync.snapshot.client.enabled": true, "sync.snapshot.client.limit": DISTANCE },
    });
    await continues(fresh, OF_CAMBIUM);
    const [hash] = (await blockAt(origin, 2)).transactions;
    assert.equal(await fresh.rpc.call("eth_getTransactionReceipt", hash), null);
  });
});

function blockAt({ rpc }: InteropNode, number: number) {
  return rpc.call("eth_getBlockByNumber", `0x${number.toString(16)}`, false);
}

/** Returns the contract that the first transaction of a block created. */
async function contractOf(node: InteropNode, number: number): Promise<string> {
  const [hash] = (await blockAt(node, number)).transactions;
  return (await node.rpc.call("eth_getTransactionReceipt", hash)).contractAddress;
}
