import type { ExecutingBlock } from "@cambium/state";
import { invalidParams } from "../errors.js";
import type { ParamType } from "../params/param-type.js";
import { ADDRESS, NUMBER, objectOf } from "../params/value-types.js";

/** Values of the block that a simulated call sees; undefined: the block's own value. */
export interface BlockOverrides {
  number: number | undefined;
  /** Seconds since 1970. */
  timestamp: bigint | undefined;
  gasLimit: bigint | undefined;
  coinbase: Uint8Array | undefined;
  difficulty: bigint | undefined;
  /** BASEFEE pushes the minimum gas price on this chain (`spec/04`). */
  minimumGasPrice: bigint | undefined;
}

export const NO_BLOCK_OVERRIDES: BlockOverrides = {
  number: undefined,
  timestamp: undefined,
  gasLimit: undefined,
  coinbase: undefined,
  difficulty: undefined,
  minimumGasPrice: undefined,
};

/** Members of go-ethereum's overrides that have no counterpart on this chain. */
const UNSUPPORTED = ["prevRandao", "random", "blobBaseFee", "beaconRoot", "withdrawals"];

const MAX_INT64 = (1n << 63n) - 1n;

/** Block overrides with the names of go-ethereum. */
export const BLOCK_OVERRIDES: ParamType<BlockOverrides> = {
  name: "BLOCK_OVERRIDES",
  schema: { $ref: "#/components/schemas/BlockOverrides" },
  parse(value) {
    const members = objectOf(value);
    for (const name of UNSUPPORTED) {
      if (isGiven(members[name])) throw invalidParams(`Block override '${name}' is not supported on this chain`);
    }
    const number = bounded(members, "number", BigInt(Number.MAX_SAFE_INTEGER));
    const coinbase = members.feeRecipient ?? members.coinbase;
    return {
      number: number === undefined ? undefined : Number(number),
      timestamp: bounded(members, "time", MAX_INT64),
      gasLimit: bounded(members, "gasLimit", MAX_INT64),
      coinbase: isGiven(coinbase) ? ADDRESS.parse(coinbase) : undefined,
      difficulty: optionalNumber(members.difficulty),
      minimumGasPrice: optionalNumber(members.baseFeePerGas ?? members.baseFee),
    };
  },
};

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function optionalNumber(value: unknown): bigint | undefined {
  return isGiven(value) ? NUMBER.parse(value) : undefined;
}

function bounded(members: Readonly<Record<string, unknown>>, name: string, limit: bigint): bigint | undefined {
  const value = optionalNumber(members[name]);
  if (value !== undefined && value > limit) throw invalidParams(`Block override '${name}' is too large`);
  return value;
}

/** The block as calls see it. */
export function overriddenBlock(block: ExecutingBlock, overrides: BlockOverrides): ExecutingBlock {
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined);
  return { ...block, ...Object.fromEntries(given) };
}
