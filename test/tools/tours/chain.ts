import { COUNTER_ABI, COUNTER_CODE } from "@cambium/test-utils/counter-contract";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import type { RunningNode } from "@cambium/test-utils/node-cli";
import { RpcClient } from "@cambium/test-utils/rpc-client";
import { Interface } from "ethers";

/** Facts about the chain for a tour. Hashes and addresses are lower-case. */
export interface TourChain {
  url: string;
  wsUrl: string;
  chainId: number;
  /** Private key with which the tour signs. */
  privateKey: string;
  address: string;
  /** Account whose key the node holds. */
  nodeAccount: string;
  /** The counter contract: `add(uint256)` logs `Added(uint256 total)`, `total()` is 42. */
  counter: { address: string; abi: string; code: string; runtime: string };
  /** The call of `add(37)`, from `nodeAccount`. */
  transaction: { hash: string; input: string; nonce: number; gasUsed: number };
  /** Block of that transaction, which is its first one; the reward transaction follows. */
  block: { number: number; hash: string; parentHash: string; stateRoot: string; timestamp: number };
}

/** Deploys the counter and adds to it. */
export async function prepareChain(node: RunningNode): Promise<TourChain> {
  const rpc = new RpcClient(node.url);
  const [, signer, holder] = DEVELOPERS;
  const from = holder!.address.toLowerCase();
  const send = async (request: object) => {
    const hash = await rpc.call("eth_sendTransaction", { from, gas: "0x30d40", gasPrice: "0x3b9aca00", ...request });
    return rpc.call("eth_getTransactionReceipt", hash);
  };
  const { contractAddress: to } = await send({ data: COUNTER_CODE });
  const additions = [5, 37].map((amount) => new Interface(COUNTER_ABI).encodeFunctionData("add", [amount]));
  await send({ to, data: additions[0] });
  const { transactionHash: hash, blockHash, gasUsed } = await send({ to, data: additions[1] });
  const { number, parentHash, stateRoot, timestamp } = await rpc.call("eth_getBlockByHash", blockHash, false);
  const runtime = await rpc.call("eth_getCode", to, "latest");
  return {
    url: node.url,
    wsUrl: node.wsUrl!,
    chainId: 33,
    privateKey: signer!.privateKey,
    address: signer!.address.toLowerCase(),
    nodeAccount: from,
    counter: { address: to, abi: JSON.stringify(COUNTER_ABI), code: COUNTER_CODE, runtime },
    transaction: { hash, input: additions[1]!, nonce: 2, gasUsed: Number(gasUsed) },
    block: { number: Number(number), hash: blockHash, parentHash, stateRoot, timestamp: Number(timestamp) },
  };
}
