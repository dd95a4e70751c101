import { blockSelector } from "../params/block-selector.js";
import type { JsonSchema } from "../params/param-type.js";
import {
  ADDRESS as ADDRESS_TYPE,
  BLOCK_HASH as BLOCK_HASH_TYPE,
  DATA as DATA_TYPE,
  NUMBER as NUMBER_TYPE,
  TOPIC as TOPIC_TYPE,
} from "../params/value-types.js";
import { arrayOf, NULL, optionsOf, orNull, QUANTITY, resource, TEXT, TRUTH } from "./values.js";

// Members of parameters, which may be spelt in more ways than results are: checksummed, decimal, null (`spec/09 §4.2`).
const GIVEN_ADDRESS = orNull(ADDRESS_TYPE.schema);
const GIVEN_NUMBER = orNull(NUMBER_TYPE.schema);
const GIVEN_DATA = orNull(DATA_TYPE.schema);
const ADDRESSES = orNull({ anyOf: [ADDRESS_TYPE.schema, arrayOf(ADDRESS_TYPE.schema)] });
const TOPIC = orNull(TOPIC_TYPE.schema);
const TOPICS = orNull({ anyOf: [TOPIC_TYPE.schema, arrayOf({ anyOf: [TOPIC, arrayOf(TOPIC)] })] });
const BOUND = orNull(blockSelector({ pending: true, hash: false, map: false }).schema);
/** Hex digits with prefix. */
const GIVEN_HEX = orNull({ title: "QUANTITY", type: "string", pattern: "^0x[0-9a-fA-F]+$" });

const STEPS = { type: "integer", minimum: 0 };

const TRACE_OPTIONS = {
  tracer: {
    title:
      "`structTracer` (default), `callTracer`, `flatCallTracer`, `prestateTracer`, `4byteTracer`, `erc7562Tracer`, " +
      "`muxTracer`, `noopTracer`, or the code of a tracer",
    ...TEXT,
  },
  tracerConfig: {
    title:
      "object with booleans: `enableMemory`, `enableReturnData`, `disableStack`, `disableStorage`; `onlyTopCall`, " +
      "`withLog`; `convertParityErrors`, `includePrecompiles`; `diffMode`, `disableCode`, `includeEmpty`",
    type: "object",
  },
  timeout: {
    title: "time limit of the request, such as `1.5s` or `300ms`, besides the node's own",
    ...TEXT,
  },
  limit: { title: "maximum number of steps of `structTracer`; 0: all", ...STEPS },
  offset: {
    title: "steps before the first one that `structTracer` returns; the trace then has their number, `steps`",
    ...STEPS,
  },
};

/** Objects that are parameters. */
export const PARAMETERS = {
  Call: optionsOf({
    from: GIVEN_ADDRESS,
    to: GIVEN_ADDRESS,
    gas: GIVEN_NUMBER,
    gasPrice: GIVEN_NUMBER,
    value: GIVEN_NUMBER,
    data: GIVEN_DATA,
    input: GIVEN_DATA,
  }),
  AccountOverride: optionsOf({
    balance: GIVEN_HEX,
    nonce: GIVEN_HEX,
    code: GIVEN_DATA,
    state: { type: ["object", "null"], additionalProperties: DATA_TYPE.schema },
    stateDiff: { type: ["object", "null"], additionalProperties: DATA_TYPE.schema },
  }),
  Simulation: {
    type: "object",
    required: ["blockStateCalls"],
    properties: {
      blockStateCalls: arrayOf(
        optionsOf({
          blockOverrides: resource("BlockOverrides"),
          stateOverrides: { type: "object", additionalProperties: resource("AccountOverride") },
          calls: arrayOf(resource("Call")),
        }),
      ),
      traceTransfers: TRUTH,
      validation: TRUTH,
      returnFullTransactions: TRUTH,
    },
  },
  Bundle: {
    type: "object",
    required: ["transactions"],
    properties: { transactions: arrayOf(resource("Call")), blockOverride: orNull(resource("BlockOverrides")) },
  },
  StateContext: optionsOf({
    blockNumber: orNull(blockSelector({ pending: true, hash: true, map: true }).schema),
    transactionIndex: {
      title: "calls start before this transaction of the block; -1, the default, means after all",
      anyOf: [{ type: "integer", minimum: -1 }, { type: "string", pattern: "^0x[0-9a-fA-F]+$" }, NULL],
    },
  }),
  BlockOverrides: optionsOf({
    number: QUANTITY,
    time: QUANTITY,
    gasLimit: QUANTITY,
    feeRecipient: GIVEN_ADDRESS,
    difficulty: QUANTITY,
    baseFeePerGas: { ...QUANTITY, title: "QUANTITY, the minimum gas price" },
  }),
  LogFilter: optionsOf({
    fromBlock: BOUND,
    toBlock: BOUND,
    address: ADDRESSES,
    topics: TOPICS,
    blockHash: orNull(BLOCK_HASH_TYPE.schema),
  }),
  LogSubscriptionOptions: optionsOf({ address: ADDRESSES, topics: TOPICS }),
  TraceFilter: optionsOf({
    fromBlock: BOUND,
    toBlock: BOUND,
    fromAddress: ADDRESSES,
    toAddress: ADDRESSES,
    mode: {
      title: "whether calls match both lists of addresses (`intersection`, the default) or one of them (`union`)",
      enum: ["intersection", "union"],
    },
    after: GIVEN_NUMBER,
    count: GIVEN_NUMBER,
  }),
  TraceOptions: optionsOf(TRACE_OPTIONS),
  TraceCallOptions: optionsOf({
    ...TRACE_OPTIONS,
    stateOverrides: { type: "object", additionalProperties: resource("AccountOverride") },
    blockOverrides: resource("BlockOverrides"),
    rules: { type: "string", pattern: "^ethereum/[A-Za-z]+$", description: "a hard fork of Ethereum whose rules hold" },
  }),
} satisfies Readonly<Record<string, JsonSchema>>;
