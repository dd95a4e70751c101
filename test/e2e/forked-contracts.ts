import { COUNTER_ABI, COUNTER_CODE } from "@cambium/test-utils/counter-contract";
import { type Json, type RpcClient, sleep } from "@cambium/test-utils/rpc-client";
import { Interface } from "ethers";

/** A funded account of the network `local`, whose key its nodes have. */
export const FUNDED = "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826";
/** An account that exists without balance, nonce and code, and one that does not exist. */
export const EMPTY = `0x${"e0".repeat(20)}`;
export const UNKNOWN = `0x${"ab".repeat(20)}`;
export const BRIDGE = "0x0000000000000000000000000000000001000006";
export const REWARD = "0x0000000000000000000000000000000001000008";
export const COUNTER = new Interface(COUNTER_ABI);
const BRIDGE_CALLS = new Interface([
  "function getBtcBlockchainBestChainHeight() view returns (int256)",
  "function getFederationAddress() view returns (string)",
  "function getBtcBlockchainInitialBlockHeight() view returns (int256)",
  "function getMinimumLockTxValue() view returns (int256)",
]);
/** Call data of methods of the bridge. */
export const BRIDGE_DATA = BRIDGE_CALLS.fragments.map((one) => BRIDGE_CALLS.encodeFunctionData(one as never, []));
/** Code that deploys code that returns the EXTCODEHASH of the address in its call data. */
export const HASHER_CODE = "0x685f353f5f5260205ff35f5260096017f3";

export const add = (amount: number): string => COUNTER.encodeFunctionData("add", [amount]);
export const wordOf = (address: string): string => `0x${address.slice(2).padStart(64, "0")}`;

/** Contracts of the forked chain. */
export interface ForkedContracts {
  counter: string;
  hasher: string;
}

/** Transactions of all kinds. */
function transactions({ counter, hasher }: ForkedContracts): { to?: string; data?: string; value?: string }[] {
  return [
    { to: counter, data: add(5) },
    { to: counter, data: add(101) },
    { to: UNKNOWN, value: "0x5" },
    { to: EMPTY, value: "0x5" },
    { to: EMPTY, value: "0x0" },
    { data: COUNTER_CODE },
    { to: hasher, data: wordOf(EMPTY) },
    { to: BRIDGE, data: BRIDGE_DATA[0]! },
    { to: REWARD, data: "0x" },
    // Creation of a contract, which logs its address.
    ...[1, 2].map(() => ({ data: "0x5f5f5f5ff5805f5260205fa05000" })),
    // Call of an account with value, which may create it; logs whether that succeeded.
    { data: `0x5f5f5f5f600173${"cc".repeat(20)}5af15f5260205fa0`, value: "0x1" },
    { data: `0x5f5f5f5f600173${"e0".repeat(20)}5af15f5260205fa0`, value: "0x1" },
    // Self-destruction in favour of an account that does not exist.
    { data: `0x73${"dd".repeat(20)}ff`, value: "0x7" },
    { to: counter, data: `0x${"ff".repeat(40)}` },
    { to: "0x0000000000000000000000000000000000000004", data: "0x1234" },
  ];
}

export interface Outcome {
  status: string;
  gasUsed: string;
  contractAddress: string | null;
  logs: unknown[];
}

/**
 * Sends transactions of all kinds to a node that mines each. Returns their effects, without those that depend on their
 * block.
 */
export async function outcomesOf(rpc: RpcClient, contracts: ForkedContracts): Promise<Outcome[]> {
  const found: Outcome[] = [];
  for (const transaction of transactions(contracts)) {
    const receipt = await mined(rpc, { from: FUNDED, gas: "0x60000", gasPrice: "0x0", ...transaction });
    const { status, gasUsed, contractAddress, logs } = receipt;
    const shown = logs.map(({ address, topics, data }: Json) => ({ address, topics, data }));
    found.push({ status, gasUsed, contractAddress, logs: shown });
  }
  return found;
}

/** Returns the receipt of a transaction. A development node refuses one whose execution fails, but mines it. */
export async function mined(rpc: RpcClient, request: object): Promise<Json> {
  const hash = await rpc.call("eth_sendTransaction", request).catch(async () => {
    const block = await rpc.call("eth_getBlockByNumber", "latest", false);
    return block.transactions[0];
  });
  for (;;) {
    const receipt = await rpc.call("eth_getTransactionReceipt", hash);
    if (receipt !== null) return receipt;
    await sleep(50);
  }
}
