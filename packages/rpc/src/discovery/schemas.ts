import { blockSelector } from "../block-selector.js";
import type { JsonSchema } from "../requests/param-type.js";
import {
  ADDRESS as ADDRESS_TYPE,
  BLOCK_HASH as BLOCK_HASH_TYPE,
  DATA as DATA_TYPE,
  NUMBER as NUMBER_TYPE,
  TOPIC as TOPIC_TYPE,
} from "../requests/value-types.js";

// JSON Schemas of the objects in spec/09 §6, §8, §9, §11, §12.

const QUANTITY = { title: "QUANTITY", type: "string", pattern: "^0x(0|[1-9a-f][0-9a-f]*)$" };
const DATA = { title: "DATA", type: "string", pattern: "^0x([0-9a-f]{2})*$" };
const TEXT = { type: "string" };

function data(length: number): JsonSchema {
  return { title: `DATA ${length}`, type: "string", pattern: `^0x[0-9a-f]{${2 * length}}$` };
}

function nullable(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: "null" }] };
}

function arrayOf(items: JsonSchema): JsonSchema {
  return { type: "array", items };
}

function reference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Schema of an object whose members are all required, except `optional`. */
function objectOf(properties: Record<string, JsonSchema>, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", properties, required };
}

/** Schema of an object whose members are all optional; unknown members are ignored. */
function optionsOf(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: "object", properties };
}

const HASH = data(32);
const ADDRESS = data(20);

// Members of parameters, which may be spelt in more ways than results are: checksummed, decimal, null (`spec/09 §4.2`).
const GIVEN_ADDRESS = nullable(ADDRESS_TYPE.schema);
const GIVEN_NUMBER = nullable(NUMBER_TYPE.schema);
const GIVEN_DATA = nullable(DATA_TYPE.schema);
const ADDRESSES = nullable({ anyOf: [ADDRESS_TYPE.schema, arrayOf(ADDRESS_TYPE.schema)] });
const TOPIC = nullable(TOPIC_TYPE.schema);
const TOPICS = nullable({ anyOf: [TOPIC_TYPE.schema, arrayOf({ anyOf: [TOPIC, arrayOf(TOPIC)] })] });
const BOUND = nullable(blockSelector({ pending: true, hash: false, map: false }).schema);
/** Hex digits with prefix. */
const GIVEN_HEX = nullable({ title: "QUANTITY", type: "string", pattern: "^0x[0-9a-fA-F]+$" });

/** A JSON number. */
const COUNT: JsonSchema = { type: "integer" };

const TRACE_OPTIONS = {
  tracer: {
    title:
      "`structTracer` (default), `callTracer`, `flatCallTracer`, `prestateTracer`, `4byteTracer`, `erc7562Tracer`, " +
      "`noopTracer`, `muxTracer`, or the source of a tracer in JavaScript, if the node runs them",
    ...TEXT,
  },
  tracerConfig: {
    title:
      "object with booleans: `enableMemory`, `enableReturnData`, `disableStack`, `disableStorage` (and `disableMemory` " +
      "in the mode `deployed`); `onlyTopCall`, `withLog`; `convertParityErrors`; `diffMode`, `disableCode`, " +
      "`disableStorage`, `includeEmpty`; the number `limit`; the list of opcodes `ignoredOpcodes`; of `muxTracer`, " +
      "the configurations of its tracers by name",
    type: "object",
  },
};
const TRACE_RESULT: JsonSchema = { type: ["object", "null"] };

/** Members of a header. */
const HEADER = {
  number: nullable(QUANTITY),
  hash: nullable(HASH),
  parentHash: HASH,
  mixHash: HASH,
  nonce: nullable(data(8)),
  sha3Uncles: HASH,
  logsBloom: nullable(data(256)),
  transactionsRoot: HASH,
  stateRoot: HASH,
  receiptsRoot: HASH,
  miner: nullable(ADDRESS),
  difficulty: QUANTITY,
  totalDifficulty: QUANTITY,
  cumulativeDifficulty: QUANTITY,
  extraData: DATA,
  gasLimit: QUANTITY,
  gasUsed: QUANTITY,
  timestamp: QUANTITY,
  minimumGasPrice: QUANTITY,
  parentChainMergedMiningHeader: DATA,
  parentChainMergedMiningCoinbaseTransaction: DATA,
  parentChainMergedMiningMerkleProof: DATA,
  hashForMergedMining: HASH,
  paidFees: nullable(QUANTITY),
  pteEdges: nullable(arrayOf({ type: "integer" })),
  baseEvent: nullable(DATA),
};
const OPTIONAL_OF_HEADER = ["pteEdges", "baseEvent"];

/** Schemas by name, for `components.schemas` of the OpenRPC document. */
export const SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Block: objectOf(
    {
      ...HEADER,
      size: QUANTITY,
      transactions: { anyOf: [arrayOf(HASH), arrayOf(reference("Transaction"))] },
      uncles: arrayOf(HASH),
    },
    OPTIONAL_OF_HEADER,
  ),
  Header: objectOf(HEADER, OPTIONAL_OF_HEADER),
  Transaction: objectOf({
    hash: HASH,
    nonce: QUANTITY,
    blockHash: nullable(HASH),
    blockNumber: nullable(QUANTITY),
    blockTimestamp: nullable(QUANTITY),
    transactionIndex: nullable(QUANTITY),
    from: ADDRESS,
    to: nullable(ADDRESS),
    gas: QUANTITY,
    gasPrice: QUANTITY,
    value: QUANTITY,
    input: DATA,
    v: nullable(QUANTITY),
    r: nullable(QUANTITY),
    s: nullable(QUANTITY),
    type: { const: "0x0" },
  }),
  Receipt: objectOf({
    transactionHash: HASH,
    transactionIndex: QUANTITY,
    blockHash: HASH,
    blockNumber: QUANTITY,
    cumulativeGasUsed: QUANTITY,
    gasUsed: QUANTITY,
    contractAddress: nullable(ADDRESS),
    logs: arrayOf(reference("Log")),
    from: ADDRESS,
    to: nullable(ADDRESS),
    status: { enum: ["0x0", "0x1"] },
    logsBloom: data(256),
    type: { const: "0x0" },
    effectiveGasPrice: QUANTITY,
  }),
  Log: objectOf({
    logIndex: QUANTITY,
    blockNumber: QUANTITY,
    blockHash: HASH,
    blockTimestamp: QUANTITY,
    transactionHash: HASH,
    transactionIndex: QUANTITY,
    address: ADDRESS,
    data: DATA,
    topics: arrayOf(HASH),
    removed: { type: "boolean" },
  }),
  SyncStatus: objectOf({ startingBlock: QUANTITY, currentBlock: QUANTITY, highestBlock: QUANTITY }),
  AccountProof: objectOf({
    address: ADDRESS,
    balance: QUANTITY,
    codeHash: HASH,
    nonce: QUANTITY,
    storageHash: HASH,
    accountProof: arrayOf(DATA),
    storageProof: arrayOf(objectOf({ key: QUANTITY, value: QUANTITY, proof: arrayOf(DATA) })),
  }),
  BridgeState: objectOf({
    btcBlockchainBestChainHeight: COUNT,
    rskTxsWaitingForSignatures: arrayOf(TEXT),
  }),
  SimulatedBlock: {
    allOf: [
      reference("Block"),
      objectOf({
        calls: arrayOf(
          objectOf(
            {
              returnData: DATA,
              logs: arrayOf(reference("Log")),
              gasUsed: QUANTITY,
              status: { enum: ["0x0", "0x1"] },
              error: objectOf({ code: COUNT, message: TEXT, data: DATA }, ["data"]),
            },
            ["error"],
          ),
        ),
      }),
    ],
  },
  AccessList: objectOf(
    {
      accessList: arrayOf(objectOf({ address: ADDRESS, storageKeys: arrayOf(HASH) })),
      gasUsed: QUANTITY,
      error: TEXT,
    },
    ["error"],
  ),
  FeeHistory: objectOf(
    {
      oldestBlock: QUANTITY,
      baseFeePerGas: arrayOf(QUANTITY),
      gasUsedRatio: arrayOf({ type: "number", minimum: 0, maximum: 1 }),
      reward: arrayOf(arrayOf(QUANTITY)),
    },
    ["reward"],
  ),
  PeerScoring: objectOf(
    {
      successfulHandshakes: COUNT,
      failedHandshakes: COUNT,
      invalidNetworks: COUNT,
      repeatedMessages: COUNT,
      validBlocks: COUNT,
      validTransactions: COUNT,
      invalidBlocks: COUNT,
      invalidTransactions: COUNT,
      invalidMessages: COUNT,
      timeoutMessages: COUNT,
      unexpectedMessages: COUNT,
      invalidHeader: COUNT,
      score: COUNT,
      punishments: COUNT,
      goodReputation: { type: "boolean" },
      punishedUntil: { title: "milliseconds since 1970; 0 if not punished", ...COUNT },
      id: TEXT,
      type: { enum: ["node", "address"] },
      peer: { title: "peer id of a node, as in net_peerList; with compatibility `development`", ...TEXT },
    },
    ["peer"],
  ),
  NodeStatus: objectOf({
    uptime: COUNT,
    memory: objectOf({ resident: COUNT, available: COUNT, heapUsed: COUNT, heapLimit: COUNT }),
    disk: { anyOf: [objectOf({ free: COUNT, size: COUNT }), { type: "null" }] },
    submissions: objectOf({ accepted: COUNT, refused: COUNT }),
  }),
  NodeInfo: objectOf({
    id: { anyOf: [TEXT, { type: "null" }] },
    name: TEXT,
    addresses: arrayOf(TEXT),
    network: TEXT,
    chainId: COUNT,
    genesis: HASH,
    bestNumber: COUNT,
    bestHash: HASH,
    totalDifficulty: QUANTITY,
    dataDir: TEXT,
  }),
  ReloadedConfig: objectOf({
    applied: { title: "keys of the changed settings that take effect at once", ...arrayOf(TEXT) },
    needRestart: { title: "keys of those that take effect when the node is started again", ...arrayOf(TEXT) },
  }),
  ConnectedPeer: objectOf({
    id: TEXT,
    scoringId: { title: "id of the peer in sco_peerList", ...TEXT },
    wire: { enum: ["libp2p", "rlpx"] },
    address: TEXT,
    direction: { enum: ["inbound", "outbound"] },
    trusted: { type: "boolean" },
    client: TEXT,
    bestNumber: COUNT,
    bestHash: HASH,
    totalDifficulty: QUANTITY,
  }),
  ReputationSummary: objectOf({
    count: COUNT,
    successfulHandshakes: COUNT,
    failedHandshakes: COUNT,
    invalidHeader: COUNT,
    validBlocks: COUNT,
    invalidBlocks: COUNT,
    validTransactions: COUNT,
    invalidTransactions: COUNT,
    invalidNetworks: COUNT,
    invalidMessages: COUNT,
    repeatedMessages: COUNT,
    timeoutMessages: COUNT,
    unexpectedMessages: COUNT,
    peersTotalScore: COUNT,
    punishments: COUNT,
    goodReputationCount: COUNT,
    badReputationCount: COUNT,
  }),
  DebugTrace: {
    title: "struct logs, call frames, flat calls, accounts, counts or any value, depending on the tracer",
  },
  BlockTrace: { title: "a transaction's hash and trace", ...TRACE_RESULT },
  Trace: { title: "one step of a transaction's call tree", ...TRACE_RESULT },
  TraceResults: objectOf(
    {
      output: DATA,
      stateDiff: { title: "changes by address, or null", type: ["object", "null"] },
      trace: arrayOf(reference("Trace")),
      vmTrace: { title: "what each step changed, or null", type: ["object", "null"] },
      transactionHash: HASH,
    },
    ["transactionHash"],
  ),
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
          blockOverrides: reference("BlockOverrides"),
          stateOverrides: { type: "object", additionalProperties: reference("AccountOverride") },
          calls: arrayOf(reference("Call")),
        }),
      ),
      traceTransfers: { type: "boolean" },
      validation: { type: "boolean" },
      returnFullTransactions: { type: "boolean" },
    },
  },
  Bundle: {
    type: "object",
    required: ["transactions"],
    properties: { transactions: arrayOf(reference("Call")), blockOverride: nullable(reference("BlockOverrides")) },
  },
  StateContext: optionsOf({
    blockNumber: nullable(blockSelector({ pending: true, hash: true, map: true }).schema),
    transactionIndex: {
      title: "calls start before this transaction of the block; -1, the default, means after all",
      anyOf: [{ type: "integer", minimum: -1 }, { type: "string", pattern: "^0x[0-9a-fA-F]+$" }, { type: "null" }],
    },
  }),
  BundledResult: {
    title: "`value`, the output, or `error`, the reason of the failure",
    type: "object",
    properties: { value: DATA, error: TEXT },
  },
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
    blockHash: nullable(BLOCK_HASH_TYPE.schema),
  }),
  LogSubscriptionOptions: optionsOf({ address: ADDRESSES, topics: TOPICS }),
  TraceFilter: optionsOf({
    fromBlock: BOUND,
    toBlock: BOUND,
    fromAddress: ADDRESSES,
    toAddress: ADDRESSES,
    after: GIVEN_NUMBER,
    count: GIVEN_NUMBER,
  }),
  TraceOptions: optionsOf(TRACE_OPTIONS),
  TraceCallOptions: optionsOf({
    ...TRACE_OPTIONS,
    stateOverrides: { type: "object", additionalProperties: reference("AccountOverride") },
    blockOverrides: reference("BlockOverrides"),
    rules: { type: "string", pattern: "^ethereum/[A-Za-z]+$", description: "a hard fork of Ethereum whose rules hold" },
  }),
};
