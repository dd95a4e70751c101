import { toQuantity } from "@cambium/primitives";
import { defineMethod, type MethodDefinition, optional, required } from "../definition/method.js";
import { invalidParams } from "../errors.js";
import { findBlock } from "../lookups/block-lookup.js";
import { BLOCK_COUNT, PERCENTILES } from "../lookups/fee-history.js";
import { blockSelector } from "../params/block-selector.js";
import { QUANTITY, resource } from "../schemas/values.js";

const NEWEST = blockSelector({ pending: true, hash: false, map: false });
const NONE: readonly number[] = [];

/** Fee suggestions in the form of EIP-1559. This chain has no base fee: the tip is the whole gas price. */
export const FEE_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "eth_maxPriorityFeePerGas",
    summary: "Minimum gas price of the best block; the base fee is always zero",
    params: [],
    result: QUANTITY,
    reads: "chain",
    handler: ({ chain }) => toQuantity(chain.best().header.minimumGasPriceValue),
  }),
  defineMethod({
    name: "eth_feeHistory",
    summary:
      "Base fees (always zero), shares of used gas, and percentiles of gas prices for up to 1024 blocks up to one of the " +
      "best chain; the rewards of a block without transactions are its minimum gas price",
    params: [
      required("blockCount", BLOCK_COUNT),
      required("newestBlock", NEWEST),
      optional("rewardPercentiles", PERCENTILES, NONE),
    ],
    result: resource("FeeHistory"),
    isHeavy: true,
    errors: ["STATE_NOT_FOUND"],
    cost: "call",
    handler: ({ chain, heavy }, [count, selector, percentiles], deadline) => {
      const newest = findBlock(chain, selector)?.hash;
      if (newest === undefined) {
        throw invalidParams(`request beyond head block: head ${chain.best().header.number}`);
      }
      return heavy.run("feeHistory", { newest, count, percentiles }, deadline);
    },
  }),
];
