import { BRIDGE_ADDRESS } from "@cambium/config";
import { bytesToBigint, bytesToNumber, decodeRlpList, fromHex, toHex } from "@cambium/primitives";
import { defineMethod, type MethodDefinition } from "../definition/method.js";
import { internalError } from "../errors.js";
import { resource } from "../schemas/values.js";

/** Selector of the bridge's `getStateForDebugging`, for local calls only (`spec/06a §4.2`). */
const GET_STATE_FOR_DEBUGGING = fromHex("0d0cee93");
const ZERO_ADDRESS = new Uint8Array(20);
const GAS = 100_000_000n;

/** Methods for the state of the two-way peg (`spec/09 §13.7`). */
export const BRIDGE_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "eth_bridgeState",
    summary: "The bridge's parent-chain state and the peg-outs awaiting signatures",
    params: [],
    result: resource("BridgeState"),
    handler: ({ chain }) => {
      const call = { from: ZERO_ADDRESS, to: BRIDGE_ADDRESS, data: GET_STATE_FOR_DEBUGGING, value: 0n, gasPrice: 0n };
      const { output } = chain.call({ ...call, gasLimit: GAS }, chain.best().hash);
      if (output === null) throw internalError();
      const [height, , waiting] = decodeRlpList(onlyBytes(output));
      return {
        btcBlockchainBestChainHeight: bytesToNumber(height!.bytes),
        rskTxsWaitingForSignatures: keysOf(waiting!.bytes),
      };
    },
  }),
];

/** Keys of an RLP list of alternating keys and values, as hex, ascending. */
function keysOf(list: Uint8Array): string[] {
  const keys = decodeRlpList(list).filter((_item, i) => i % 2 === 0);
  return keys.map((key) => toHex(key.bytes)).sort();
}

/** Content of an ABI-encoded output that is a single `bytes` value. */
function onlyBytes(output: Uint8Array): Uint8Array {
  const length = Number(bytesToBigint(output.subarray(32, 64)));
  return output.subarray(64, 64 + length);
}
