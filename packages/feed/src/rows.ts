import { decodeBridgeEvent } from "@cambium/bridge";
import { type AbiValue, fromHex, toData } from "@cambium/primitives";
import type { BlockTable, Row, Value } from "./schema.js";

/** A JSON-RPC object. */
export type RpcObject = ReturnType<typeof JSON.parse>;

/** A node's answers about a block. */
export interface RpcBlock {
  /** The block object with full transactions. */
  block: RpcObject;
  receipts: readonly RpcObject[];
  /** Result of `trace_block`; undefined if no table needs it. */
  traces: readonly RpcObject[] | undefined;
}

/** The rows of a block by table, and their estimated size in bytes. */
export interface BlockRows {
  number: number;
  hash: string;
  parentHash: string;
  rows: Readonly<Partial<Record<BlockTable, readonly Row[]>>>;
  bytes: number;
}

const BRIDGE = "0x0000000000000000000000000000000001000006";

/** Turns a node's answers about a block into rows of the tables. Pure. Throws if an object lacks a mandatory member. */
export function blockRows(content: RpcBlock, tables: readonly BlockTable[]): BlockRows {
  const { block } = content;
  const position = {
    block_number: integer(block.number),
    block_hash: block.hash,
    block_time: integer(block.timestamp),
  };
  const rows = Object.fromEntries(tables.map((table) => [table, ROWS[table](content, position)]));
  let bytes = 0;
  for (const table of Object.values(rows)) for (const row of table) bytes += sizeOf(row);
  return { number: position.block_number, hash: block.hash, parentHash: block.parentHash, rows, bytes };
}

interface BlockPosition {
  block_number: number;
  block_hash: string;
  block_time: number;
}

const ROWS: Readonly<Record<BlockTable, (content: RpcBlock, position: BlockPosition) => Row[]>> = {
  blocks: ({ block, receipts }, position) => [
    {
      ...position,
      parent_hash: block.parentHash,
      miner: block.miner,
      difficulty: decimal(block.difficulty),
      total_difficulty: decimal(block.totalDifficulty),
      gas_limit: integer(block.gasLimit),
      gas_used: integer(block.gasUsed),
      minimum_gas_price: decimalOrNull(block.minimumGasPrice),
      paid_fees: decimalOrNull(block.paidFees),
      size: integer(block.size),
      transaction_count: receipts.length,
      uncle_count: block.uncles.length,
      state_root: block.stateRoot,
      transactions_root: block.transactionsRoot,
      receipts_root: block.receiptsRoot,
      extra_data: block.extraData,
      hash_for_merged_mining: block.hashForMergedMining ?? null,
      parent_chain_header: block.parentChainMergedMiningHeader ?? block.bitcoinMergedMiningHeader ?? null,
      sign: 1,
    },
  ],
  transactions: ({ block, receipts }, position) =>
    receipts.map((receipt, i) => {
      const transaction = block.transactions[i];
      return {
        ...position,
        transaction_index: i,
        transaction_hash: transaction.hash,
        from_address: transaction.from,
        to_address: transaction.to,
        contract_address: receipt.contractAddress,
        nonce: integer(transaction.nonce),
        value: decimal(transaction.value),
        gas_limit: integer(transaction.gas),
        gas_used: integer(receipt.gasUsed),
        gas_price: decimal(transaction.gasPrice),
        succeeded: receipt.status === "0x1",
        type: integer(transaction.type ?? "0x0"),
        selector: selector(transaction.input),
        input: transaction.input,
        log_count: receipt.logs.length,
        sign: 1,
      };
    }),
  logs: ({ receipts }, position) =>
    logsOf(receipts).map((log) => ({
      ...logPosition(log, position),
      address: log.address,
      topic0: log.topics[0] ?? null,
      topic1: log.topics[1] ?? null,
      topic2: log.topics[2] ?? null,
      topic3: log.topics[3] ?? null,
      data: log.data,
      sign: 1,
    })),
  internal_calls: ({ traces }, position) => {
    let [transaction, call] = [-1, 0];
    return traces!.map((trace) => {
      call = trace.transactionPosition === transaction ? call + 1 : 0;
      transaction = trace.transactionPosition;
      return callRow(trace, call, position);
    });
  },
  bridge_events: ({ receipts }, position) => logsOf(receipts).flatMap((log) => bridgeRow(log, position)),
};

function logsOf(receipts: readonly RpcObject[]): RpcObject[] {
  return receipts.flatMap(({ logs }) => logs);
}

function logPosition(log: RpcObject, position: BlockPosition) {
  return {
    ...position,
    transaction_index: integer(log.transactionIndex),
    transaction_hash: log.transactionHash as string,
    log_index: integer(log.logIndex),
  };
}

function callRow(trace: RpcObject, index: number, position: BlockPosition): Row {
  const { action, result, error } = trace;
  const isDestruct = trace.type === "suicide";
  const input = action.input ?? action.init ?? "0x";
  return {
    ...position,
    transaction_index: trace.transactionPosition,
    transaction_hash: trace.transactionHash,
    call_index: index,
    trace_address: trace.traceAddress.join("."),
    depth: trace.traceAddress.length,
    type: isDestruct ? "selfdestruct" : (action.callType ?? action.creationMethod ?? "create"),
    from_address: isDestruct ? action.address : action.from,
    to_address: (isDestruct ? action.refundAddress : (action.to ?? result?.address)) ?? null,
    value: decimal(isDestruct ? action.balance : action.value),
    gas: isDestruct ? null : integer(action.gas),
    gas_used: result?.gasUsed === undefined ? null : integer(result.gasUsed),
    succeeded: error === undefined,
    error: error ?? null,
    selector: action.input === undefined ? null : selector(input),
    input,
    output: result?.output ?? result?.code ?? null,
    sign: 1,
  };
}

function bridgeRow(log: RpcObject, position: BlockPosition): Row[] {
  if (log.address !== BRIDGE) return [];
  const decoded = decodeBridgeEvent(log.topics.map(bytes), bytes(log.data));
  if (decoded === undefined) return [];
  const entries = Object.entries(decoded.arguments).map(([name, value]) => [name, shown(value)] as const);
  const shownArguments: Record<string, Value> = Object.fromEntries(entries);
  const account = entries.find(([name]) => isAddress(decoded.arguments[name]!))?.[1] ?? null;
  return [
    {
      ...logPosition(log, position),
      event: decoded.name,
      account,
      bitcoin_transaction: shownArguments.btcTxHash ?? null,
      amount: shownArguments.amount ?? null,
      arguments: JSON.stringify(shownArguments),
      sign: 1,
    },
  ];
}

function isAddress(value: AbiValue): boolean {
  return value instanceof Uint8Array && value.length === 20;
}

function shown(value: AbiValue): string | boolean {
  if (value instanceof Uint8Array) return toData(value);
  return typeof value === "boolean" ? value : String(value);
}

function bytes(data: string): Uint8Array {
  return fromHex(data.slice(2));
}

function selector(input: string): string | null {
  return input.length >= 10 ? input.slice(0, 10) : null;
}

export function integer(quantity: string): number {
  const value = Number(quantity);
  if (!Number.isSafeInteger(value)) throw new Error(`the node sent ${quantity}, expected a number`);
  return value;
}

/** Maximum length of a quantity that a number holds exactly, including the prefix. */
const SHORT = 14;

export function decimal(quantity: string): string {
  return quantity.length <= SHORT ? String(Number(quantity)) : BigInt(quantity).toString();
}

function decimalOrNull(quantity: string | null | undefined): string | null {
  return quantity == null ? null : decimal(quantity);
}

/** Approximate overhead of a value besides its text, in bytes. */
const VALUE_BYTES = 16;

function sizeOf(row: Row): number {
  let size = 0;
  for (const name in row) {
    const value = row[name];
    size += VALUE_BYTES + (typeof value === "string" ? value.length : 0);
  }
  return size;
}
