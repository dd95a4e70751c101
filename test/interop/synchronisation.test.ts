import assert from "node:assert/strict";
import { fromHex } from "@cambium/primitives";
import { runCli } from "@cambium/test-utils/node-cli";
import { longChainFiles } from "@cambium/test-utils/vectors";
import { type BlockLine, readBlockLines } from "./block-lines.js";
import { FigureTable } from "./figure-table.js";
import { heightOf, type InteropNode, peerCount, tipOf } from "./interop-node.js";
import { useNodes } from "./node-group.js";
import { dialling, type ReferenceNode } from "./reference-node.js";
import { bodiesServedInMinute, feed, UNLIMITED_INTAKE } from "./unpaced-client.js";
import { waitFor } from "./wait-for.js";

/** Time limit in seconds, generous: a stalled synchronisation fails, a slow machine does not. */
const SYNC_SECONDS = 600;

describe("synchronisation of a long chain", function () {
  this.timeout(30 * 60_000);
  const nodes = useNodes();
  const figures = new FigureTable();
  let lines: BlockLine[];
  let reference: ReferenceNode;
  let cambium: InteropNode;

  after(() => figures.print());

  /** Measures until a node without blocks that gets its first peer has the whole chain. */
  async function measure(what: string, fresh: InteropNode): Promise<void> {
    await waitFor(
      `${fresh.name} has a peer`,
      () => peerCount(fresh),
      (count) => count > 0,
      120,
    );
    const began = new Date();
    const { number, hash } = lines.at(-1)!;
    await waitFor(
      `${what} ends`,
      () => heightOf(fresh),
      (height) => height >= number,
      SYNC_SECONDS,
    );
    const seconds = (Date.now() - began.getTime()) / 1000;
    assert.equal((await tipOf(fresh)).hash, hash);
    figures.add(`${what} (from second ${began.getSeconds()} of a minute)`, number / seconds, "blocks/s");
  }

  it("is preceded by an import from files", async function () {
    const files = longChainFiles() ?? this.skip();
    lines = readBlockLines(files);
    const folder = nodes.folderOf("cambium");
    const { stdout, stderr } = await runCli("import", ...files, "--network", "local", "--data-dir", folder, "--json");
    figures.add("import from files", JSON.parse(stdout || stderr).blocksPerSecond, "blocks/s");
  });

  it("finds the same genesis at a deployed node, which imports the blocks", async function () {
    if (lines === undefined) this.skip();
    reference = await nodes.reference("deployed", { settings: UNLIMITED_INTAKE });
    const genesis = await reference.rpc.call("eth_getBlockByNumber", "0x0", false);
    cambium = await nodes.cambium("cambium");
    assert.equal(genesis.hash, (await cambium.rpc.call("eth_getBlockByNumber", "0x0", false)).hash);
    const began = performance.now();
    await feed(
      reference,
      lines.map(({ block }) => block),
    );
    figures.add("import of a deployed node", lines.length / ((performance.now() - began) / 1000), "blocks/s");
    await nodes.stop(reference);
    reference = await nodes.reference("deployed", { folder: reference.options.folder });
  });

  it("is limited by the rate at which a deployed node serves", async function () {
    if (reference === undefined) this.skip();
    const hashes = lines.map(({ hash }) => fromHex(hash.slice(2)));
    const served = await bodiesServedInMinute(reference, hashes);
    figures.add("bodies served by a deployed node", served / 60, "blocks/s");
  });

  it("works from a deployed node", async function () {
    if (reference === undefined) this.skip();
    const fresh = await nodes.cambium("fresh", "--p2p.nodes", reference.enode);
    await measure("a node of this project from a deployed node", fresh);
    await nodes.stop(fresh);
  });

  it("works to a deployed node", async function () {
    if (reference === undefined) this.skip();
    const fresh = await nodes.reference("deployed-from-cambium", { settings: dialling(cambium) });
    await measure("a deployed node from a node of this project", fresh);
    await nodes.stop(fresh);
  });

  it("works between deployed nodes", async function () {
    if (reference === undefined) this.skip();
    const fresh = await nodes.reference("deployed-from-deployed", { settings: dialling(reference) });
    await measure("a deployed node from a deployed node", fresh);
    await nodes.stop(fresh);
  });
});
