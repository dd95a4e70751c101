import assert from "node:assert/strict";
import { type RunningNode, startNode, withFolder } from "@cambium/test-utils/node-cli";
import { createTestClient, defineChain, http, pad, parseEther, publicActions, walletActions } from "viem";

const ADDRESS = `0x${"5a".repeat(20)}` as const;
const CODE = "0x6001600101";

/**
 * Tests every action of viem's test client that this chain can serve, under the names of both tools that the client
 * knows.
 */
for (const mode of ["hardhat", "anvil"] as const) {
  describe(`viem's test client for ${mode}`, () => {
    const use = (work: (client: ReturnType<typeof clientOf>) => Promise<void>) =>
      withFolder(async (folder) => {
        const version = mode === "anvil" ? "anvil/v1.0.0" : "HardhatNetwork/2.0.0";
        const options = ["--network", "local", "--data-dir", folder, "--mine", "--rpc.client-version", version];
        const node: RunningNode = await startNode(...options);
        try {
          await work(clientOf(node.url, mode));
        } finally {
          await node.stop();
        }
      });

    it("changes and reads accounts", () =>
      use(async (client) => {
        await client.setBalance({ address: ADDRESS, value: parseEther("3") });
        assert.equal(await client.getBalance({ address: ADDRESS }), parseEther("3"));
        await client.setCode({ address: ADDRESS, bytecode: CODE });
        assert.equal(await client.getCode({ address: ADDRESS }), CODE);
        await client.setNonce({ address: ADDRESS, nonce: 420 });
        assert.equal(await client.getTransactionCount({ address: ADDRESS }), 420);
        await client.setStorageAt({ address: ADDRESS, index: 2, value: pad("0x07") });
        assert.equal(await client.getStorageAt({ address: ADDRESS, slot: "0x2" }), pad("0x07"));
        const state = await client.dumpState();
        await client.setBalance({ address: ADDRESS, value: 1n });
        await client.loadState({ state });
        assert.equal(await client.getBalance({ address: ADDRESS }), parseEther("3"));
        await client.impersonateAccount({ address: ADDRESS });
        const hash = await client.sendTransaction({
          account: ADDRESS,
          to: ADDRESS,
          value: 1n,
          type: "legacy",
          gas: 30_000n,
        });
        assert.equal((await client.getTransactionReceipt({ hash })).from, ADDRESS);
        await client.stopImpersonatingAccount({ address: ADDRESS });
        await assert.rejects(client.sendTransaction({ account: ADDRESS, to: ADDRESS, type: "legacy", gas: 30_000n }));
      }));

    it("mines, and sets times and limits", () =>
      use(async (client) => {
        const id = await client.snapshot();
        assert.equal(await client.getAutomine(), true);
        await client.mine({ blocks: 3, interval: 10 });
        const { timestamp } = await client.getBlock();
        assert.equal(timestamp - (await client.getBlock({ blockNumber: 1n })).timestamp, 20n);
        await client.setNextBlockTimestamp({ timestamp: timestamp + 100n });
        await client.mine({ blocks: 1 });
        assert.equal((await client.getBlock()).timestamp, timestamp + 100n);
        await client.increaseTime({ seconds: 1000 });
        await client.mine({ blocks: 1 });
        assert((await client.getBlock()).timestamp >= timestamp + 1100n);
        await client.setBlockTimestampInterval({ interval: 5 });
        await client.mine({ blocks: 2 });
        const last = await client.getBlock();
        assert.equal(last.timestamp - (await client.getBlock({ blockNumber: last.number - 1n })).timestamp, 5n);
        await client.removeBlockTimestampInterval();
        await client.setBlockGasLimit({ gasLimit: 20_000_000n });
        await client.setCoinbase({ address: ADDRESS });
        await client.setMinGasPrice({ gasPrice: 0n });
        await client.mine({ blocks: 1 });
        const block = await client.getBlock();
        assert.deepEqual([block.gasLimit, block.miner], [20_000_000n, ADDRESS]);
        await client.setAutomine(false);
        assert.equal(await client.getAutomine(), false);
        await client.setIntervalMining({ interval: 0 });
        await client.setLoggingEnabled(false);
        const [account] = await client.getAddresses();
        const pending = await client.sendTransaction({ account: account!, to: ADDRESS, type: "legacy", gas: 30_000n });
        await client.dropTransaction({ hash: pending });
        await client.revert({ id });
        assert.equal(await client.getBlockNumber({ cacheTime: 0 }), 0n);
        await client.reset();
      }));
  });
}

function clientOf(url: string, mode: "hardhat" | "anvil") {
  const nativeCurrency = { name: "coin", symbol: "COIN", decimals: 18 };
  const chain = defineChain({ id: 33, name: "local", nativeCurrency, rpcUrls: { default: { http: [url] } } });
  return createTestClient({ mode, chain, transport: http() }).extend(publicActions).extend(walletActions);
}
