import { ETHEREUM_HARDFORKS, type EthereumHardfork, ethereumHardfork } from "@cambium/evm";
import { BLOCK_OVERRIDES, type BlockOverrides, NO_BLOCK_OVERRIDES } from "../calls/block-overrides.js";
import { type AccountOverride, STATE_OVERRIDES } from "../calls/state-overrides.js";
import { echo, invalidParams } from "../errors.js";
import type { ParamType } from "../params/param-type.js";
import { DEFAULT_TRACE_OPTIONS, parseTraceOptions, type TraceOptions, traceMembers } from "./trace-options.js";

/** Options of `debug_traceCall`: those of a trace, and the overrides of the call. */
export interface TraceCallOptions extends TraceOptions {
  overrides: readonly AccountOverride[];
  blockOverrides: BlockOverrides;
  /** Hard fork of Ethereum whose rules apply; undefined: the rules of this chain. */
  ethereum?: EthereumHardfork;
}

/** Prefix of the name of a hard fork in `rules`. */
const ETHEREUM = "ethereum/";

export const DEFAULT_TRACE_CALL_OPTIONS: TraceCallOptions = {
  ...DEFAULT_TRACE_OPTIONS,
  overrides: [],
  blockOverrides: NO_BLOCK_OVERRIDES,
};

export const TRACE_CALL_OPTIONS: ParamType<TraceCallOptions> = {
  name: "TRACE_CALL_OPTIONS",
  schema: { $ref: "#/components/schemas/TraceCallOptions" },
  parse(value) {
    const { stateOverrides, blockOverrides, rules, txIndex } = traceMembers(value);
    if (txIndex !== undefined && txIndex !== null) {
      throw invalidParams("txIndex is not supported: the context of debug_traceCallMany has a transactionIndex");
    }
    const options = parseTraceOptions(value);
    const ethereum = parseRules(rules);
    if (ethereum !== undefined && options.tracer !== "struct") {
      throw invalidParams("only the default tracer follows other rules than those of this chain");
    }
    return {
      ...options,
      ...(ethereum === undefined ? {} : { ethereum }),
      overrides: STATE_OVERRIDES.parse(stateOverrides ?? {}),
      blockOverrides: BLOCK_OVERRIDES.parse(blockOverrides ?? {}),
    };
  },
};

function parseRules(value: unknown): EthereumHardfork | undefined {
  if (value === undefined || value === null) return undefined;
  const isEthereum = typeof value === "string" && value.startsWith(ETHEREUM);
  const hardfork = isEthereum ? ethereumHardfork(value.slice(ETHEREUM.length)) : undefined;
  if (hardfork !== undefined) return hardfork;
  throw invalidParams(`unknown rules ${echo(value)}: expected ${ETHEREUM} and one of ${ETHEREUM_HARDFORKS.join(", ")}`);
}
