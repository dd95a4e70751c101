import assert from "node:assert/strict";
import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fromHex } from "@cambium/primitives";
import { agreementKey } from "@cambium/rlpx";
import { TestNodes, until } from "@cambium/test-utils/peers/network-nodes";
import { RawPeer } from "@cambium/test-utils/peers/raw-peer";
import { RawRlpxPeer } from "@cambium/test-utils/peers/raw-rlpx-peer";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { privateKeyFromRaw } from "@libp2p/crypto/keys";
import { multiaddr } from "@multiformats/multiaddr";

/** Two nodes with one key each take the other for itself, and never connect. */
describe("another node with the same key", () => {
  const nodes = new TestNodes();
  let warnings: string[];
  const logger = { ...SILENT, warn: (_: object, message: string) => void warnings.push(message) };
  const about = (address: string) => new RegExp(`${address.replaceAll(".", "\\.")}.*key.*remove its .*node-key`);

  beforeEach(() => {
    warnings = [];
  });

  afterEach(() => nodes.end());

  async function keyOf(folder: string): Promise<Uint8Array> {
    return fromHex((await readFile(join(folder, "node-key"), "utf8")).trim());
  }

  /** A folder with the key of another node. */
  async function copyOf(folder: string): Promise<string> {
    const copy = await nodes.folder();
    await copyFile(join(folder, "node-key"), join(copy, "node-key"));
    return copy;
  }

  it("is named if it is a boot node", async () => {
    const first = await nodes.start({ logger });
    const second = await nodes.start({ logger, folder: await copyOf(first.folder), bootNodes: [first.address] });
    assert.equal(second.network.ownId, first.network.ownId);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]!, about(placeOf(first.address)));
  });

  it("is not suspected in the node's own address", async () => {
    const first = await nodes.start({ logger });
    await nodes.stop(first);
    const [, port] = first.address.match(/tcp\/(\d+)/)!;
    const listen = [`/ip4/127.0.0.1/tcp/${port}`];
    await nodes.start({ logger, folder: first.folder, listen, bootNodes: [first.address] });
    assert.deepEqual(warnings, []);
  });

  it("is named once when it connects", async () => {
    const node = await nodes.start({ logger });
    const twin = await RawPeer.start({ key: privateKeyFromRaw(await keyOf(node.folder)), listens: false });
    const address = multiaddr(node.address.replace(/\/p2p\/.*/, ""));
    for (let i = 0; i < 2; i++) await assert.rejects(twin.libp2p.dial(address));
    await until(() => warnings.length > 0);
    assert.match(warnings[0]!, about("127.0.0.1"));
    await twin.libp2p.stop();
    assert.equal(warnings.length, 1);
  });

  it("is named once over the deployed network's wire too", async () => {
    const node = await nodes.start({ logger, wires: ["rlpx"] });
    const { username, port } = new URL(node.address);
    const key = agreementKey(await keyOf(node.folder));
    for (let i = 0; i < 2; i++) {
      const dialling = RawRlpxPeer.dial({ remoteId: fromHex(username), port: Number(port), key });
      await assert.rejects(dialling, /closed in the handshake/);
    }
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]!, about("127.0.0.1"));
    const folder = await copyOf(node.folder);
    const rlpx = { hosts: ["127.0.0.1"], port: 0, publicHost: undefined, nodes: [node.address], bootNodes: [] };
    await nodes.start({ logger, wires: ["rlpx"], folder, rlpx });
    assert.equal(warnings.length, 2);
    assert.match(warnings[1]!, about(`127.0.0.1:${port}`));
  });
});

/** `<ip>:<port>` of a multiaddr. */
function placeOf(address: string): string {
  const [, ip, port] = address.match(/ip4\/([\d.]+)\/tcp\/(\d+)/)!;
  return `${ip}:${port}`;
}
