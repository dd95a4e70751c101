import type { ChainReader } from "@cambium/chain";
import { toQuantity } from "@cambium/primitives";
import type { Block, BlockHeader, Receipt } from "@cambium/types";
import { echo, invalidParams } from "../errors.js";
import type { WorkLimit } from "../limits/deadline.js";
import type { ParamType } from "../params/param-type.js";
import { NUMBER } from "../params/value-types.js";
import { requireReceipts } from "./block-lookup.js";

/** Blocks of one response; a request for more is reduced, as by go-ethereum. */
const MAX_BLOCKS = 1_024;
const MAX_PERCENTILES = 100;

/**
 * Request for the fees of `count` blocks that end with the block `newest`, a hash: plain data, to be sent to a thread.
 */
export interface FeeHistoryRequest {
  newest: Uint8Array;
  count: number;
  percentiles: readonly number[];
}

/** Result of `eth_feeHistory`, oldest block first. */
export interface FeeHistory {
  oldestBlock: string;
  /** Always empty: blocks have no base fee, and a list of zeros makes libraries send transactions that need one. */
  baseFeePerGas: readonly [];
  gasUsedRatio: number[];
  /** Absent if no percentiles are requested. */
  reward?: string[][];
}

export const BLOCK_COUNT: ParamType<number> = {
  name: "BLOCK_COUNT",
  schema: NUMBER.schema,
  parse(value) {
    const count = NUMBER.parse(value);
    return count < MAX_BLOCKS ? Number(count) : MAX_BLOCKS;
  },
};

export const PERCENTILES: ParamType<readonly number[]> = {
  name: "PERCENTILES",
  schema: { type: "array", items: { type: "number", minimum: 0, maximum: 100 }, maxItems: MAX_PERCENTILES },
  parse(value) {
    if (!Array.isArray(value)) throw invalidParams("Invalid input");
    if (value.length > MAX_PERCENTILES) {
      throw invalidParams(`Too many percentiles: ${value.length}, at most ${MAX_PERCENTILES} are allowed`);
    }
    let last = 0;
    return value.map((one: unknown) => {
      const isValid = typeof one === "number" && one >= last && one <= 100;
      if (!isValid) throw invalidParams(`invalid reward percentile: ${echo(one)}; want ascending numbers up to 100`);
      last = one;
      return one;
    });
  },
};

/**
 * Fees of a block and its ancestors in the form of EIP-1559. Blocks that are not stored are left out. Throws
 * {@link RpcError} `STATE_NOT_FOUND` if receipts are missing, or the error of `limit`.
 */
export function feeHistory(
  chain: ChainReader,
  { newest, count, percentiles }: FeeHistoryRequest,
  limit: WorkLimit,
): FeeHistory {
  const headers: BlockHeader[] = [];
  let header = chain.headerByHash(newest);
  while (header !== undefined && headers.length < count) {
    limit.check();
    headers.unshift(header);
    header = header.number === 0 ? undefined : chain.headerByHash(header.parentHash);
  }
  const history: FeeHistory = {
    oldestBlock: toQuantity(headers[0]?.number ?? 0),
    baseFeePerGas: [],
    gasUsedRatio: headers.map(({ gasUsed, gasLimitValue }) => gasUsed / Number(gasLimitValue)),
  };
  if (percentiles.length === 0) return history;
  history.reward = headers.map(({ hash }) => {
    limit.check();
    return rewards(chain.blockByHash(hash)!, requireReceipts(chain, hash), percentiles);
  });
  return history;
}

/** Gas prices at percentiles of the gas used, without the reward transaction, which pays nothing. */
function rewards(block: Block, receipts: readonly Receipt[], percentiles: readonly number[]): string[] {
  const paid = block.transactions
    .map(({ gasPrice, isReward }, i) => ({ gasPrice, isReward, gasUsed: receipts[i]?.gasUsed ?? 0 }))
    .filter(({ isReward }) => !isReward)
    .sort((a, b) => (a.gasPrice < b.gasPrice ? -1 : a.gasPrice > b.gasPrice ? 1 : 0));
  if (paid.length === 0) return percentiles.map(() => toQuantity(block.header.minimumGasPriceValue));
  const total = paid.reduce((sum, { gasUsed }) => sum + gasUsed, 0);
  let index = 0;
  let sum = paid[0]!.gasUsed;
  return percentiles.map((percentile) => {
    while (sum < Math.floor((total * percentile) / 100) && index < paid.length - 1) sum += paid[++index]!.gasUsed;
    return toQuantity(paid[index]!.gasPrice);
  });
}
