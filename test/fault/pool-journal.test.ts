import assert from "node:assert/strict";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { startNode, withFolder } from "@cambium/test-utils/node-cli";
import { RpcClient } from "@cambium/test-utils/rpc-client";

const SINK = `0x${"51".repeat(20)}`;

describe("a node that is killed", () => {
  it("keeps every transaction whose hash it returned, and mines each once", async () => {
    await withFolder(async (folder) => {
      const options = ["--network", "local", "--data-dir", folder];
      const sent: string[] = [];
      for (let round = 0; round < 3; round++) {
        const node = await startNode(...options);
        const rpc = new RpcClient(node.url);
        assert.equal((await rpc.call("txpool_status")).pending, sent.length);
        for (const wallet of DEVELOPERS) {
          const request = { to: SINK, value: 1, nonce: round, gasLimit: 21_000, gasPrice: 7, chainId: 33, type: 0 };
          sent.push(await rpc.call("eth_sendRawTransaction", await wallet.signTransaction(request)));
        }
        assert.equal(await node.stop("SIGKILL"), null);
      }
      // The node is killed again after some transactions were mined.
      const mining = await startNode(...options, "--mine.interval", "20");
      const rpc = new RpcClient(mining.url);
      while ((await rpc.call("eth_blockNumber")) === "0x0");
      await mining.stop("SIGKILL");

      const node = await startNode(...options);
      const last = new RpcClient(node.url);
      while ((await last.call("txpool_status")).pending > 0) await last.call("evm_mine");
      for (const hash of sent) assert.equal((await last.call("eth_getTransactionReceipt", hash)).status, "0x1");
      assert.equal(BigInt(await last.call("eth_getBalance", SINK, "latest")), BigInt(sent.length));
      assert.equal(await node.stop(), 0);
    });
  });
});
