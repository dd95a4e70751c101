import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { startNode, withFolder } from "@cambium/test-utils/node-cli";
import { RpcClient } from "@cambium/test-utils/rpc-client";
import { JsonRpcProvider, parseEther, Wallet } from "ethers";

const EXAMPLE = fileURLToPath(new URL("../../docs/examples/network.json", import.meta.url));
/** Key of the example's funded account. */
const KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

describe("a network that extends the local one", () => {
  it("mines transactions and serves the methods of tools", () =>
    withFolder(async (folder) => {
      const node = await startNode("--network", EXAMPLE, "--mine", "--data-dir", folder);
      const provider = new JsonRpcProvider(node.url, undefined, { cacheTimeout: -1 });
      try {
        const rpc = new RpcClient(node.url);
        assert.equal(await rpc.call("eth_chainId"), "0x4d");
        const genesis = await rpc.call("eth_getBlockByNumber", "0x0");
        assert.equal(Number(genesis.gasLimit), 30_000_000);
        const wallet = new Wallet(KEY, provider);
        assert.equal(await provider.getBalance(wallet), parseEther("1000000"));
        const to = Wallet.createRandom().address;
        const receipt = await (await wallet.sendTransaction({ to, value: 5n })).wait();
        assert.deepEqual([receipt!.status, await provider.getBalance(to)], [1, 5n]);

        const snapshot = await rpc.call("evm_snapshot");
        await rpc.call("evm_increaseTime", 1000);
        await rpc.call("evm_mine", { blocks: 3 });
        assert.equal(await provider.getBlockNumber(), receipt!.blockNumber + 3);
        await rpc.call("hardhat_setBalance", to, "0x7");
        assert.equal(await provider.getBalance(to), 7n);
        assert.equal(Number((await rpc.call("eth_getBlockByNumber", "latest")).gasLimit), 30_000_000);
        assert.equal(await rpc.call("evm_revert", snapshot), true);
        assert.equal(await provider.getBalance(to), 5n);
      } finally {
        provider.destroy();
        assert.equal(await node.stop(), 0);
      }
    }));

  it("moves the gas limit of blocks to another one", () =>
    withFolder(async (folder) => {
      const options = ["--network", EXAMPLE, "--mine", "--data-dir", folder, "--miner.gas-limit", "29990000"];
      const node = await startNode(...options);
      const rpc = new RpcClient(node.url);
      await rpc.call("evm_mine", { blocks: 2 });
      assert.equal(Number((await rpc.call("eth_getBlockByNumber", "latest")).gasLimit), 29_990_000);
      assert.equal(await node.stop(), 0);
    }));
});
