import type { JsonSchema } from "../params/param-type.js";
import {
  ADDRESS,
  arrayOf,
  BYTES,
  BYTES_32,
  bytesOf,
  COUNT,
  objectOf,
  orNull,
  QUANTITY,
  resource,
  TEXT,
  TRUTH,
} from "./values.js";

/** Members of a header. */
export const HEADER = {
  number: orNull(QUANTITY),
  hash: orNull(BYTES_32),
  parentHash: BYTES_32,
  mixHash: BYTES_32,
  nonce: orNull(bytesOf(8)),
  sha3Uncles: BYTES_32,
  logsBloom: orNull(bytesOf(256)),
  transactionsRoot: BYTES_32,
  stateRoot: BYTES_32,
  receiptsRoot: BYTES_32,
  miner: orNull(ADDRESS),
  difficulty: QUANTITY,
  totalDifficulty: QUANTITY,
  cumulativeDifficulty: QUANTITY,
  extraData: BYTES,
  gasLimit: QUANTITY,
  gasUsed: QUANTITY,
  timestamp: QUANTITY,
  minimumGasPrice: QUANTITY,
  parentChainMergedMiningHeader: BYTES,
  parentChainMergedMiningCoinbaseTransaction: BYTES,
  parentChainMergedMiningMerkleProof: BYTES,
  hashForMergedMining: BYTES_32,
  paidFees: orNull(QUANTITY),
  pteEdges: orNull(arrayOf({ type: "integer" })),
  baseEvent: orNull(BYTES),
};
export const OPTIONAL_OF_HEADER = ["pteEdges", "baseEvent"];

/** Members of a receipt. */
export const RECEIPT = {
  transactionHash: BYTES_32,
  transactionIndex: QUANTITY,
  blockHash: BYTES_32,
  blockNumber: QUANTITY,
  cumulativeGasUsed: QUANTITY,
  gasUsed: QUANTITY,
  contractAddress: orNull(ADDRESS),
  logs: arrayOf(resource("Log")),
  from: ADDRESS,
  to: orNull(ADDRESS),
  status: { enum: ["0x0", "0x1"] },
  logsBloom: bytesOf(256),
  type: { const: "0x0" },
  effectiveGasPrice: QUANTITY,
};

/** Objects of `spec/09 §6`, `§8`, `§9`, `§11`. */
export const CHAIN_OBJECTS = {
  Block: objectOf(
    {
      ...HEADER,
      size: QUANTITY,
      transactions: { anyOf: [arrayOf(BYTES_32), arrayOf(resource("Transaction"))] },
      uncles: arrayOf(BYTES_32),
    },
    OPTIONAL_OF_HEADER,
  ),
  Header: objectOf(HEADER, OPTIONAL_OF_HEADER),
  Transaction: objectOf({
    hash: BYTES_32,
    nonce: QUANTITY,
    blockHash: orNull(BYTES_32),
    blockNumber: orNull(QUANTITY),
    blockTimestamp: orNull(QUANTITY),
    transactionIndex: orNull(QUANTITY),
    from: ADDRESS,
    to: orNull(ADDRESS),
    gas: QUANTITY,
    gasPrice: QUANTITY,
    value: QUANTITY,
    input: BYTES,
    v: orNull(QUANTITY),
    r: orNull(QUANTITY),
    s: orNull(QUANTITY),
    type: { const: "0x0" },
  }),
  Receipt: objectOf(RECEIPT),
  Log: objectOf({
    logIndex: QUANTITY,
    blockNumber: QUANTITY,
    blockHash: BYTES_32,
    blockTimestamp: QUANTITY,
    transactionHash: BYTES_32,
    transactionIndex: QUANTITY,
    address: ADDRESS,
    data: BYTES,
    topics: arrayOf(BYTES_32),
    removed: TRUTH,
  }),
  SyncStatus: objectOf({ startingBlock: QUANTITY, currentBlock: QUANTITY, highestBlock: QUANTITY }),
  AccountProof: objectOf({
    address: ADDRESS,
    balance: QUANTITY,
    codeHash: BYTES_32,
    nonce: QUANTITY,
    storageHash: BYTES_32,
    accountProof: arrayOf(BYTES),
    storageProof: arrayOf(objectOf({ key: QUANTITY, value: QUANTITY, proof: arrayOf(BYTES) })),
  }),
  BridgeState: objectOf({
    btcBlockchainBestChainHeight: COUNT,
    rskTxsWaitingForSignatures: arrayOf(TEXT),
  }),
  SimulatedBlock: {
    allOf: [
      resource("Block"),
      objectOf({
        calls: arrayOf(
          objectOf(
            {
              returnData: BYTES,
              logs: arrayOf(resource("Log")),
              gasUsed: QUANTITY,
              status: { enum: ["0x0", "0x1"] },
              error: objectOf({ code: COUNT, message: TEXT, data: BYTES }, ["data"]),
            },
            ["error"],
          ),
        ),
      }),
    ],
  },
  AccessList: objectOf(
    {
      accessList: arrayOf(objectOf({ address: ADDRESS, storageKeys: arrayOf(BYTES_32) })),
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
  BundledResult: {
    title: "`value`, the output, or `error`, the reason of the failure",
    type: "object",
    properties: { value: BYTES, error: TEXT },
  },
} satisfies Readonly<Record<string, JsonSchema>>;
