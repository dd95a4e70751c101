import assert from "node:assert/strict";
import * as viem from "viem";
import { notApplicable } from "../tours/tour.mjs";

const { equal, deepEqual } = assert;
const ADDRESS = `0x${"5e".repeat(20)}`;
const OTHER = `0x${"7a".repeat(20)}`;
const WORD = viem.toHex(7, { size: 32 });

/** Returns methods of viem's client for development nodes, which change the chain. `mode` selects the names. */
export function testMethods(settings, { account, node }) {
  const test = viem.createTestClient(settings).extend(viem.publicActions);
  const wallet = viem.createWalletClient({ ...settings, account });
  const pay = () => wallet.sendTransaction({ to: OTHER, value: 1n });
  const latest = () => test.getBlock();

  async function mined(work) {
    const hash = await work;
    equal((await test.waitForTransactionReceipt({ hash })).status, "success");
    return hash;
  }
  /** Runs `use` while transactions wait in the pool. */
  async function waiting(use) {
    await test.setAutomine(false);
    try {
      await use(await pay());
    } finally {
      await test.setAutomine(true);
      await test.mine({ blocks: 1 });
    }
  }

  return {
    snapshot: async () => equal(viem.isHex(await test.snapshot()), true),
    revert: async () => {
      const [{ number }, id] = [await latest(), await test.snapshot()];
      await test.mine({ blocks: 2 });
      await test.revert({ id });
      equal((await latest()).number, number);
    },
    mine: async () => {
      const before = await latest();
      await test.mine({ blocks: 2, interval: 30 });
      const after = await latest();
      equal(after.number, before.number + 2n);
      assert(after.timestamp >= before.timestamp + 30n);
    },
    increaseTime: async () => {
      const before = await latest();
      await test.increaseTime({ seconds: 500 });
      await test.mine({ blocks: 1 });
      assert((await latest()).timestamp >= before.timestamp + 500n);
    },
    setNextBlockTimestamp: async () => {
      const timestamp = (await latest()).timestamp + 1000n;
      await test.setNextBlockTimestamp({ timestamp });
      await test.mine({ blocks: 1 });
      equal((await latest()).timestamp, timestamp);
    },
    setBlockTimestampInterval: async () => {
      const before = await latest();
      await test.setBlockTimestampInterval({ interval: 7 });
      await test.mine({ blocks: 2 });
      equal((await latest()).timestamp, before.timestamp + 14n);
    },
    removeBlockTimestampInterval: async () => {
      await test.removeBlockTimestampInterval();
      await test.mine({ blocks: 1 });
    },
    getAutomine: async () => equal(await test.getAutomine(), true),
    setAutomine: async () => {
      await test.setAutomine(false);
      equal(await test.getAutomine(), false);
      await test.setAutomine(true);
    },
    setIntervalMining: async () => {
      await test.setIntervalMining({ interval: 1 });
      await test.setIntervalMining({ interval: 0 });
      await test.setAutomine(true);
    },
    getTxpoolStatus: () => waiting(async () => equal((await test.getTxpoolStatus()).pending, 1)),
    getTxpoolContent: () =>
      waiting(async (hash) => {
        const { pending } = await test.getTxpoolContent();
        // The API document has a list of transactions for each nonce.
        const [byNonce] = Object.values(pending);
        equal(Object.values(byNonce)[0][0].hash, hash);
      }),
    inspectTxpool: () => waiting(async () => equal(Object.keys((await test.inspectTxpool()).pending).length, 1)),
    dropTransaction: () =>
      waiting(async (hash) => {
        await test.dropTransaction({ hash });
        equal((await test.getTxpoolStatus()).pending, 0);
      }),
    setBalance: async () => {
      await test.setBalance({ address: ADDRESS, value: viem.parseEther("3") });
      equal(await test.getBalance({ address: ADDRESS }), viem.parseEther("3"));
    },
    setNonce: async () => {
      await test.setNonce({ address: ADDRESS, nonce: 5 });
      equal(await test.getTransactionCount({ address: ADDRESS }), 5);
    },
    setCode: async () => {
      await test.setCode({ address: OTHER, bytecode: "0x00" });
      equal(await test.getCode({ address: OTHER }), "0x00");
    },
    setStorageAt: async () => {
      await test.setStorageAt({ address: OTHER, index: 1, value: WORD });
      equal(await test.getStorageAt({ address: OTHER, slot: "0x1" }), WORD);
    },
    impersonateAccount: async () => {
      await test.impersonateAccount({ address: ADDRESS });
      await mined(wallet.sendTransaction({ account: ADDRESS, to: OTHER, value: 1n, gas: 30_000n }));
    },
    stopImpersonatingAccount: async () => {
      await test.stopImpersonatingAccount({ address: ADDRESS });
      await assert.rejects(wallet.sendTransaction({ account: ADDRESS, to: OTHER, value: 1n, gas: 30_000n }));
    },
    sendUnsignedTransaction: async () => {
      await mined(test.sendUnsignedTransaction({ from: ADDRESS, to: node, value: 1n, gas: 21_000n }));
    },
    setBlockGasLimit: async () => {
      const { gasLimit } = await latest();
      await test.setBlockGasLimit({ gasLimit: gasLimit + 5n });
      equal((await latest()).gasLimit, gasLimit + 5n);
    },
    setCoinbase: async () => {
      await test.setCoinbase({ address: OTHER });
      await test.mine({ blocks: 1 });
      equal((await latest()).miner, OTHER);
    },
    setMinGasPrice: async () => test.setMinGasPrice({ gasPrice: 0n }),
    setNextBlockBaseFeePerGas: async () => test.setNextBlockBaseFeePerGas({ baseFeePerGas: 0n }),
    setLoggingEnabled: async () => test.setLoggingEnabled(true),
    dumpState: async () => equal(viem.isHex(await test.dumpState()), true),
    loadState: async () => {
      const state = await test.dumpState();
      await test.setBalance({ address: OTHER, value: 99n });
      await test.loadState({ state });
      assert((await test.getBalance({ address: OTHER })) !== 99n);
    },
    setRpcUrl: notApplicable("there is no forked endpoint to replace", () => test.setRpcUrl("http://127.0.0.1:1")),
    reset: async () => {
      await test.reset();
      deepEqual((await latest()).number, 0n);
    },
  };
}
