import { grouped, integer } from "./flags/flag.js";

/** The most transactions of the pool. */
const MAX_SLOTS = 20_000;

/** Flags for the transaction pool. */
export const POOL_FLAGS = grouped("Transactions", {
  "txpool.account-slots": integer(
    "n",
    "transactions of an account that the pool takes at a time (default: 16, as the deployed network's nodes; on local and dev all that fit)",
    { min: 1, max: MAX_SLOTS },
  ),
});
