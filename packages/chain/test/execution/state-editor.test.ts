import assert from "node:assert/strict";
import { NETWORKS, type NetworkConfig, STATE_EDITOR_ACCOUNT, STATE_EDITOR_ADDRESS } from "@cambium/config";
import { encodeStateEdits } from "@cambium/contracts";
import { TransactionRejected } from "@cambium/evm";
import { equalBytes } from "@cambium/primitives";
import { emptyState } from "@cambium/test-utils/native-call";
import { allNativeContracts, createChainEvm, executingBlock } from "../../src/index.js";
import { branchOf, header, signed } from "../support.js";

const TARGET = new Uint8Array(20).fill(0x55);
const BALANCE = { address: TARGET, kind: "balance", balance: 77n } as const;
const { main, test, local, dev } = NETWORKS;

/** Executes an edit with this gas limit on a network; returns the balance that the edit would set. */
function edit(network: NetworkConfig, gasLimit: bigint): bigint {
  const state = emptyState();
  const block = header({ number: 8_900_000 }, network);
  createChainEvm(network).execute({
    transaction: signed("cambium state editor account", {
      to: STATE_EDITOR_ADDRESS,
      gasLimit,
      data: encodeStateEdits([BALANCE]),
      chainId: network.chainId,
    }),
    index: 0,
    block: executingBlock(block, branchOf([])),
    state,
    gasUsedBefore: 0n,
    listGasLimit: 6_800_000n,
    deletedInList: new Set(),
    creditFee: false,
  });
  assert.equal(state.getNonce(STATE_EDITOR_ACCOUNT), 1n);
  return state.getBalance(TARGET);
}

describe("the state editor", () => {
  it("changes the state on networks for development, without gas", () => {
    for (const network of [local, dev, { ...local, chainId: 99 }]) assert.equal(edit(network, 0n), 77n);
  });

  it("is an address as any other on all other networks", () => {
    const others = [main, test, { ...local, chainId: 30 }, { ...local, chainId: 31 }];
    for (const network of [...others, { ...main, isForDevelopment: true }, { ...local, isForDevelopment: false }]) {
      assert(!allNativeContracts(network).some(({ address }) => equalBytes(address, STATE_EDITOR_ADDRESS)));
      assert.throws(
        () => edit(network, 0n),
        (error) => error instanceof TransactionRejected && error.code === "INTRINSIC_GAS",
      );
      assert.equal(edit(network, 100_000n), 0n, "nothing changes");
    }
  });
});
