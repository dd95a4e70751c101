import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { RpcClient } from "@cambium/test-utils/rpc-client";
import { type Abi, encodeDeployData, encodeFunctionData, type Hex } from "viem";

/** Output of the Solidity compiler for `contracts/Workshop.sol`. */
export const WORKSHOP_FILE = fileURLToPath(new URL("./contracts/workshop.json", import.meta.url));
const { Workshop, Ledger } = JSON.parse(readFileSync(WORKSHOP_FILE, "utf8")).output.contracts["contracts/Workshop.sol"];
export const WORKSHOP_ABI: Abi = Workshop.abi;

/** Artifacts in the form that Hardhat writes. */
export const [WORKSHOP_ARTIFACT, LEDGER_ARTIFACT] = [["Workshop", Workshop] as const, ["Ledger", Ledger] as const].map(
  ([contractName, { abi, evm }]) => ({
    contractName,
    sourceName: "contracts/Workshop.sol",
    abi,
    bytecode: `0x${evm.bytecode.object}`,
    deployedBytecode: `0x${evm.deployedBytecode.object}`,
  }),
);

export interface DeployedWorkshop {
  address: Hex;
  /** Hash of the creation. */
  creation: Hex;
  /** Sends a call of a function; resolves to the hash. */
  send(functionName: string, args: readonly unknown[], fields?: object): Promise<Hex>;
}

/** Creates a workshop from the first account of `node-cli dev`. */
export async function deployWorkshop(rpc: RpcClient, limit = 100n, from?: Hex): Promise<DeployedWorkshop> {
  const sender = from ?? ((await rpc.call("eth_accounts"))[0] as Hex);
  const data = encodeDeployData({
    abi: WORKSHOP_ABI,
    bytecode: `0x${Workshop.evm.bytecode.object}`,
    args: ["North", limit],
  });
  const creation: Hex = await rpc.call("eth_sendTransaction", { from: sender, data, gas: "0x4c4b40" });
  const address: Hex = (await rpc.call("eth_getTransactionReceipt", creation)).contractAddress;
  const send = (functionName: string, args: readonly unknown[], fields: object = {}): Promise<Hex> => {
    const input = encodeFunctionData({ abi: WORKSHOP_ABI, functionName, args });
    return rpc.call("eth_sendTransaction", { from: sender, to: address, data: input, gas: "0x4c4b40", ...fields });
  };
  return { address, creation, send };
}
