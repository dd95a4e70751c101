import { REWARD_ADDRESS } from "@cambium/config";
import { abiType, encodeValues, toHex } from "@cambium/primitives";
import type { NativeCallContext, NativeContract } from "@cambium/state";
import { NativeContractError } from "../errors.js";
import { RewardCells } from "./cells.js";
import { Distribution, type DistributionTools, PAYABLE_GAS, type PayableGas } from "./distribution.js";
import type { FederatorSource } from "./federator-source.js";
import { SiblingFinder } from "./siblings.js";

const PROCESS_MINERS_FEES = "be021a58";
const GET_STATE_FOR_DEBUGGING = "0d0cee93";
/** A method is selected by exactly four bytes. One more byte distinguishes longer data. */
const SELECTOR_BYTES = 4;
const BYTES = abiType("bytes");

/**
 * The reward contract collects every fee. Once per block, when the block's last, unsigned transaction calls it, it pays
 * a smoothed share of the matured fees (`spec/05`).
 */
class RewardContract implements NativeContract {
  readonly address = REWARD_ADDRESS;
  readonly name = "reward contract";
  readonly recordsInternalTransactions = true;
  private readonly tools: DistributionTools;

  constructor(federators: FederatorSource, payableGas: PayableGas) {
    this.tools = { siblings: new SiblingFinder(), federators, payableGas };
  }

  isActive(): boolean {
    return true;
  }

  /** The contract is free for any data, at every height. */
  gas(): number {
    return 0;
  }

  execute(data: Uint8Array | null, context: NativeCallContext): Uint8Array | null {
    const isDefault = data === null || data.length === 0;
    const selector = isDefault ? PROCESS_MINERS_FEES : toHex(data.subarray(0, SELECTOR_BYTES + 1));
    const cells = new RewardCells(context.state);
    if (selector === GET_STATE_FOR_DEBUGGING) {
      const state = cells.encodeForDebugging();
      cells.save();
      return encodeValues([BYTES], [state]);
    }
    if (selector !== PROCESS_MINERS_FEES)
      throw new NativeContractError({ code: "INVALID_CALL", contract: this.name, selector });
    if (!context.transaction.isReward || context.kind !== "transaction") {
      throw new NativeContractError({ code: "NOT_REWARD_TRANSACTION" });
    }
    new Distribution(context, cells, this.tools).run();
    cells.save();
    return null;
  }
}

/** Creates the reward contract. `payableGas` is for tests: the thresholds are the same on every network. */
export function createRewardContract(
  federators: FederatorSource,
  payableGas: PayableGas = PAYABLE_GAS,
): NativeContract {
  return new RewardContract(federators, payableGas);
}
