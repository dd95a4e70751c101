import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bestOf, nodeFolder, type PeerNode, startPeerNode } from "@cambium/test-utils/peers/peer-nodes";
import { until } from "@cambium/test-utils/rpc-client";

const STRANGER = `0x${"5a".repeat(20)}`;
const CONTRACT = `0x${"cd".repeat(20)}`;
const word = (value: number) => `0x${value.toString(16).padStart(64, "0")}`;

/** Tests blocks that a development node makes for tools, on another node that only imports them. */
describe("a peer of a development node", function () {
  this.timeout(120_000);
  let folder: string;
  const nodes: PeerNode[] = [];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-development-peers-"));
    nodes.push(await startPeerNode(nodeFolder(folder, 0), []));
    nodes.push(await startPeerNode(nodeFolder(folder, 1), [nodes[0]!.address]));
  });
  after(async () => {
    for (const { node } of nodes) await node.stop();
    rmSync(folder, { recursive: true });
  });

  it("accepts blocks with changes of the state, free steps and impersonated transactions", async () => {
    const [{ rpc }, { rpc: peer }] = nodes as [PeerNode, PeerNode];
    await until(async () => Number(await rpc.call("net_peerCount")) === 1);
    await rpc.call("hardhat_setBalance", STRANGER, "0xde0b6b3a7640000");
    await rpc.call("hardhat_setCode", CONTRACT, "0x00");
    await rpc.call("hardhat_setNonce", CONTRACT, "0x9");
    await rpc.call("hardhat_setStorageAt", CONTRACT, "0x5", word(42));
    await rpc.call("evm_setBlockGasLimit", "0x1c9c380");
    await rpc.call("hardhat_impersonateAccount", STRANGER);
    const hash = await rpc.call("eth_sendTransaction", { from: STRANGER, to: CONTRACT, value: "0x7", gas: "0xc350" });
    await rpc.call("evm_mine");
    const best = await bestOf(nodes[0]!);
    await until(async () => (await bestOf(nodes[1]!)).hash === best.hash);

    const receipt = await peer.call("eth_getTransactionReceipt", hash);
    assert.deepEqual([receipt.from, receipt.status], [STRANGER, "0x1"]);
    assert.equal((await peer.call("eth_getTransactionByHash", hash)).from, STRANGER);
    for (const [method, ...params] of [
      ["eth_getBalance", STRANGER],
      ["eth_getBalance", CONTRACT],
      ["eth_getCode", CONTRACT],
      ["eth_getTransactionCount", CONTRACT],
      ["eth_getStorageAt", CONTRACT, "0x5"],
    ] as [string, ...string[]][]) {
      assert.equal(await peer.call(method, ...params), await rpc.call(method, ...params), method);
    }
    assert.equal(await peer.call("eth_getStorageAt", CONTRACT, "0x5"), word(42));
    assert.equal((await peer.call("eth_getBlockByNumber", "latest")).gasLimit, "0x1c9c380");
    // The peer did not punish the sender of these blocks.
    assert.equal(Number(await peer.call("net_peerCount")), 1);
  });
});
