import { createChainEvm } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { buildPreState } from "@cambium/conformance";
import { type Evm, EvmError } from "@cambium/evm";
import { fromHex, fromQuantity, keccak256, utf8 } from "@cambium/primitives";
import { type ExecutingBlock, JournaledState, setUpNativeContracts } from "@cambium/state";
import { runs } from "@cambium/test-utils/depth";
import { SEED } from "@cambium/test-utils/seed";
import { Transaction } from "@cambium/types";
import { creditsEachFee, type ExecutionCase, NETWORK_KEYS, randomCase } from "./random-case.js";
import { RandomSource } from "./random-source.js";

/** Transactions to execute. */
const RUNS = runs(10_000);

const EVMS: Readonly<Record<string, Evm>> = Object.fromEntries(
  Object.entries(NETWORK_KEYS).map(([name, key]) => [name, createChainEvm(NETWORKS[key])]),
);

function blockOf({ env, runs: [{ number }] }: ExecutionCase): ExecutingBlock {
  const hash = (height: number) => keccak256(utf8(String(height)));
  return {
    number,
    timestamp: fromQuantity(env.timestamp),
    parentHash: hash(number - 1),
    coinbase: fromHex(env.coinbase),
    difficulty: 1n,
    gasLimit: fromQuantity(env.gasLimit),
    minimumGasPrice: 0n,
    ancestors: { hash, header: () => undefined, uncles: () => undefined, totalDifficulty: () => undefined },
  };
}

/** Executes a case like a block; throws any error that does not reject a transaction. */
function execute(test: ExecutionCase): void {
  const [{ network: name, number, txs }] = test.runs;
  const network = NETWORKS[NETWORK_KEYS[name]];
  const state = new JournaledState(buildPreState(test.pre));
  const block = blockOf(test);
  setUpNativeContracts(state, network, number);
  const deletedInList = new Set<string>();
  for (const [index, bytes] of txs.entries()) {
    try {
      const outcome = EVMS[name]!.execute({
        transaction: Transaction.decode(fromHex(bytes)),
        index,
        block,
        state,
        gasUsedBefore: 0n,
        listGasLimit: block.gasLimit,
        deletedInList,
        creditFee: creditsEachFee(network, number),
      });
      for (const address of outcome.deleted) deletedInList.add(address);
    } catch (error) {
      if (!(error instanceof EvmError)) throw error;
    }
  }
  state.commit();
}

describe("execution of random transactions", () => {
  it(`only throws errors that reject a transaction: ${RUNS} transactions of SEED=${SEED}`, () => {
    const random = new RandomSource(SEED);
    for (let executed = 0, cases = 0; executed < RUNS; cases++) {
      const test = randomCase(random, `seed-${SEED}-case-${cases}`);
      try {
        execute(test);
      } catch (error) {
        const what = error instanceof Error ? error.stack : String(error);
        throw new Error(`${what}\nin ${JSON.stringify(test)}`, { cause: error });
      }
      executed += test.runs[0].txs.length;
    }
  });
});
