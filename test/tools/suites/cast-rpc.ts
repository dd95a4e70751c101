import assert from "node:assert/strict";
import { runTool } from "../command.js";
import { isInstalled } from "../tours/commands.js";
import { toolPath } from "./chains.js";
import { type NamedTest, reportOf, type Suite } from "./suite.js";

const SENDER = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const OTHER = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const CONTRACT = "0x00000000000000000000000000000000000c0de0";
const ACCOUNT = "0x00000000000000000000000000000000000acc00";
/** Code that returns its first cell. */
const CODE = "0x5f545f5260205ff3";
const WORD = `0x${"7".padStart(64, "0")}`;
const COIN = "0xde0b6b3a7640000";

/** Returns tests that call methods of Anvil and Hardhat like scripts that use only `cast`. */
function tests(url: string): NamedTest[] {
  // biome-ignore lint/suspicious/noExplicitAny: results of any method
  const rpc = async (method: string, ...params: readonly unknown[]): Promise<any> => {
    const texts = params.map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
    return JSON.parse(await runTool("cast", ["rpc", "--rpc-url", url, method, ...texts]));
  };
  const height = async () => Number(await rpc("eth_blockNumber"));
  const latest = () => rpc("eth_getBlockByNumber", "latest", false);
  const time = async () => Number((await latest()).timestamp);
  const balance = async (address: string) => BigInt(await rpc("eth_getBalance", address, "latest"));
  const send = (from: string, to = OTHER) => rpc("eth_sendTransaction", { from, to, value: "0x1", gas: "0x5208" });
  const pending = async () => Number((await rpc("txpool_status")).pending);

  /** Runs `use` while transactions wait in the pool. */
  const waiting = async (name: string, use: (hash: string) => Promise<void>) => {
    await rpc(name, false);
    try {
      await use(await send(SENDER));
    } finally {
      await rpc(name, true);
      await rpc("evm_mine");
    }
  };
  /** The methods under the names of one tool. */
  const ofBoth = (tool: "anvil" | "hardhat"): NamedTest[] => [
    [
      `${tool}_setBalance, setNonce, setCode, setStorageAt`,
      async () => {
        await rpc(`${tool}_setBalance`, ACCOUNT, COIN);
        assert.equal(await balance(ACCOUNT), BigInt(COIN));
        const nonce = Number(await rpc("eth_getTransactionCount", ACCOUNT, "latest")) + 5;
        await rpc(`${tool}_setNonce`, ACCOUNT, `0x${nonce.toString(16)}`);
        assert.equal(Number(await rpc("eth_getTransactionCount", ACCOUNT, "latest")), nonce);
        await rpc(`${tool}_setCode`, CONTRACT, CODE);
        await rpc(`${tool}_setStorageAt`, CONTRACT, "0x0", WORD);
        assert.equal(await rpc("eth_call", { to: CONTRACT }, "latest"), WORD);
      },
    ],
    [
      `${tool}_impersonateAccount, stopImpersonatingAccount, autoImpersonateAccount`,
      async () => {
        await rpc(`${tool}_setBalance`, ACCOUNT, COIN);
        await rpc(`${tool}_impersonateAccount`, ACCOUNT);
        await send(ACCOUNT);
        await rpc(`${tool}_stopImpersonatingAccount`, ACCOUNT);
        await assert.rejects(send(ACCOUNT));
        await rpc(`${tool}_autoImpersonateAccount`, true);
        await send(ACCOUNT);
        await rpc(`${tool}_autoImpersonateAccount`, false);
        await assert.rejects(send(ACCOUNT));
      },
    ],
    [
      `${tool}_mine, getAutomine`,
      async () => {
        assert.equal(await rpc(`${tool}_getAutomine`), true);
        const before = await height();
        await rpc(`${tool}_mine`, "0x5", "0x3c");
        assert.equal(await height(), before + 5);
      },
    ],
    [
      `${tool}_dropTransaction, dropAllTransactions`,
      () =>
        waiting("evm_setAutomine", async (hash) => {
          await rpc(`${tool}_dropTransaction`, hash);
          assert.equal(await pending(), 0);
          await send(SENDER);
          await rpc(`${tool}_dropAllTransactions`);
          assert.equal(await pending(), 0);
        }),
    ],
    [
      `${tool}_dumpState, loadState`,
      async () => {
        await rpc(`${tool}_setBalance`, ACCOUNT, "0x9");
        const state = await rpc(`${tool}_dumpState`);
        await rpc(`${tool}_setBalance`, ACCOUNT, "0x1");
        assert.equal(await rpc(`${tool}_loadState`, state), true);
        assert.equal(await balance(ACCOUNT), 9n);
      },
    ],
    [
      `${tool}_setCoinbase`,
      async () => {
        await rpc(`${tool}_setCoinbase`, ACCOUNT);
        await rpc("evm_mine");
        assert.equal((await latest()).miner, ACCOUNT);
      },
    ],
    [`${tool}_setLoggingEnabled`, () => rpc(`${tool}_setLoggingEnabled`, true)],
    [`${tool}_setMinGasPrice`, () => rpc(`${tool}_setMinGasPrice`, "0x0")],
    [`${tool}_setNextBlockBaseFeePerGas of 0`, () => rpc(`${tool}_setNextBlockBaseFeePerGas`, "0x0")],
    [
      `${tool}_metadata`,
      async () => assert.equal((await rpc(`${tool}_metadata`)).latestBlockHash, (await latest()).hash),
    ],
  ];
  return [
    ...ofBoth("anvil"),
    ...ofBoth("hardhat"),
    ["anvil_nodeInfo", async () => assert.equal((await rpc("anvil_nodeInfo")).currentBlockHash, (await latest()).hash)],
    ["anvil_enableTraces", () => rpc("anvil_enableTraces")],
    [
      "anvil_rollback, anvil_reorg",
      async () => {
        await rpc("anvil_mine", "0x4");
        const before = await latest();
        await rpc("anvil_rollback", 2);
        assert.equal(await height(), Number(before.number) - 2);
        const { hash } = await latest();
        await rpc("anvil_reorg", 1, []);
        assert.notEqual((await latest()).hash, hash);
        assert.equal(await height(), Number(before.number) - 2);
      },
    ],
    [
      "anvil_snapshot, anvil_revert",
      async () => {
        const [id, before] = [await rpc("anvil_snapshot"), await height()];
        await rpc("evm_mine");
        assert.equal(await rpc("anvil_revert", id), true);
        assert.equal(await height(), before);
      },
    ],
    [
      "anvil_setBlockTimestampInterval, anvil_removeBlockTimestampInterval",
      async () => {
        const before = await time();
        await rpc("anvil_setBlockTimestampInterval", 30);
        await rpc("anvil_mine", "0x2");
        assert.equal(await time(), before + 60);
        assert.equal(await rpc("anvil_removeBlockTimestampInterval"), true);
      },
    ],
    [
      "anvil_increaseTime, anvil_setNextBlockTimestamp, anvil_setTime",
      async () => {
        const before = await time();
        await rpc("anvil_increaseTime", 1000);
        await rpc("evm_mine");
        assert((await time()) >= before + 1000);
        await rpc("anvil_setNextBlockTimestamp", before + 5000);
        await rpc("evm_mine");
        assert.equal(await time(), before + 5000);
        await rpc("anvil_setTime", before + 9000);
        await rpc("evm_mine");
        assert((await time()) >= before + 9000);
      },
    ],
    [
      "anvil_setAutomine, anvil_setIntervalMining",
      async () => {
        await waiting("anvil_setAutomine", async () => assert.equal(await pending(), 1));
        await rpc("anvil_setIntervalMining", 1000);
        await rpc("anvil_setIntervalMining", 0);
        await rpc("anvil_setAutomine", true);
      },
    ],
    [
      "anvil_setBlockGasLimit, evm_setBlockGasLimit",
      async () => {
        for (const [method, limit] of [
          ["anvil_setBlockGasLimit", "0x1312d00"],
          ["evm_setBlockGasLimit", "0x1c9c380"],
        ] as const) {
          await rpc(method, limit);
          await rpc("evm_mine");
          assert.equal((await latest()).gasLimit, limit);
        }
      },
    ],
    [
      "evm_mine at a time, and several blocks",
      async () => {
        const [before, then] = [await height(), await time()];
        await rpc("evm_mine", then + 777);
        assert.equal(await time(), then + 777);
        await rpc("evm_mine", { blocks: 3 });
        assert.equal(await height(), before + 4);
      },
    ],
    [
      "evm_setTime, evm_setNextBlockTimestamp, evm_increaseTime",
      async () => {
        const before = await time();
        await rpc("evm_setTime", before + 2000);
        await rpc("evm_mine");
        assert((await time()) >= before + 2000);
        await rpc("evm_setNextBlockTimestamp", before + 4000);
        await rpc("evm_mine");
        assert.equal(await time(), before + 4000);
        await rpc("evm_increaseTime", 500);
        await rpc("evm_mine");
        assert((await time()) >= before + 4500);
      },
    ],
    [
      "evm_setAccountNonce",
      async () => {
        await rpc("evm_setAccountNonce", OTHER, "0x2");
        assert.equal(await rpc("eth_getTransactionCount", OTHER, "latest"), "0x2");
      },
    ],
    [
      "evm_setIntervalMining",
      async () => {
        await rpc("evm_setIntervalMining", 1000);
        await rpc("evm_setIntervalMining", 0);
        await rpc("evm_setAutomine", true);
      },
    ],
    [
      "evm_snapshot, evm_revert",
      async () => {
        const [id, before] = [await rpc("evm_snapshot"), await height()];
        await rpc("evm_mine");
        assert.equal(await rpc("evm_revert", id), true);
        assert.equal(await height(), before);
      },
    ],
    [
      "eth_requestAccounts, eth_accounts",
      async () => assert.deepEqual(await rpc("eth_requestAccounts"), await rpc("eth_accounts")),
    ],
    ["personal_sign", async () => assert.match(await rpc("personal_sign", "0xc0ffee", SENDER), /^0x[0-9a-f]{130}$/)],
    [
      "eth_signTypedData_v4",
      async () => {
        const types = {
          EIP712Domain: [{ name: "name", type: "string" }],
          Order: [{ name: "amount", type: "uint256" }],
        };
        const data = { types, primaryType: "Order", domain: { name: "shop" }, message: { amount: "7" } };
        assert.match(await rpc("eth_signTypedData_v4", SENDER, data), /^0x[0-9a-f]{130}$/);
      },
    ],
    [
      "eth_signTransaction",
      async () => {
        const nonce = await rpc("eth_getTransactionCount", SENDER, "latest");
        const request = { from: SENDER, to: OTHER, value: "0x1", gas: "0x5208", gasPrice: "0x3b9aca00", nonce };
        const signed = await rpc("eth_signTransaction", request);
        assert.match(await rpc("eth_sendRawTransaction", signed.raw ?? signed), /^0x[0-9a-f]{64}$/);
      },
    ],
    [
      "evm_startMining, evm_stopMining",
      async () => {
        await rpc("evm_stopMining");
        await rpc("evm_startMining");
      },
    ],
    [
      "anvil_reset",
      async () => {
        await rpc("evm_mine");
        await rpc("anvil_reset");
        assert.equal(await height(), 0);
      },
    ],
    [
      "evm_reset",
      async () => {
        await rpc("evm_mine");
        await rpc("evm_reset");
        assert.equal(await height(), 0);
      },
    ],
  ];
}

const missing = isInstalled(toolPath("cast")) ? undefined : "Foundry";

/** The methods of Anvil and Hardhat one by one. */
export const CAST_RPC_SUITES: readonly Suite[] = [{ name: "cast rpc", missing, run: (url) => reportOf(tests(url)) }];
