/**
 * Types of columns. `uint64` is at most 2^53 - 1 in practice and a number in rows; `uint256` is a string of decimal
 * digits; `hash`, `address` and `bytes` are lower-case hex with `0x`; `timestamp` is in seconds since 1970 in UTC;
 * `sign` is 1 or -1.
 */
export type ColumnType =
  | "uint64"
  | "uint256"
  | "hash"
  | "address"
  | "bytes"
  | "text"
  | "json"
  | "boolean"
  | "timestamp"
  | "sign";

export interface Column {
  name: string;
  type: ColumnType;
  isNullable: boolean;
  description: string;
}

export interface Table {
  description: string;
  columns: readonly Column[];
  /** Columns by which rows are ordered; they identify a row. */
  key: readonly string[];
}

export type Value = string | number | boolean | null;
export type Row = Readonly<Record<string, Value>>;

/**
 * Tables that follow the chain exactly. `blocks` comes last: its row says that all other rows of the block are stored.
 */
export const BLOCK_TABLES = ["transactions", "logs", "internal_calls", "bridge_events", "blocks"] as const;
export type BlockTable = (typeof BLOCK_TABLES)[number];
/** Table of the transactions that the node receives, in no order and without a guarantee. */
export const POOL_TABLE = "pool_events";
export type TableName = BlockTable | typeof POOL_TABLE;

function column(name: string, type: ColumnType, description: string): Column {
  return { name, type, isNullable: false, description };
}

function nullable(name: string, type: ColumnType, description: string): Column {
  return { name, type, isNullable: true, description };
}

const BLOCK: readonly Column[] = [
  column("block_number", "uint64", "number of the block"),
  column("block_hash", "hash", "hash of the block"),
  column("block_time", "timestamp", "time of the block"),
];
const TRANSACTION: readonly Column[] = [
  ...BLOCK,
  column("transaction_index", "uint64", "place of the transaction in the block, from 0"),
  column("transaction_hash", "hash", "hash of the transaction"),
];
const SIGN = column("sign", "sign", "1 for a row, -1 for the retraction of an equal row");

export const TABLES: Readonly<Record<TableName, Table>> = {
  blocks: {
    description: "Blocks of the best chain.",
    key: ["block_number", "block_hash"],
    columns: [
      ...BLOCK,
      column("parent_hash", "hash", "hash of the block before"),
      column("miner", "address", "account that receives the miner's share"),
      column("difficulty", "uint256", "difficulty"),
      column("total_difficulty", "uint256", "sum of the difficulties of this block, all before it and their uncles"),
      column("gas_limit", "uint64", "gas limit"),
      column("gas_used", "uint64", "gas used by all transactions"),
      nullable("minimum_gas_price", "uint256", "lowest gas price of its transactions, in wei"),
      nullable("paid_fees", "uint256", "fees of all transactions, in wei"),
      column("size", "uint64", "length of the encoded block in bytes"),
      column("transaction_count", "uint64", "number of transactions, with the reward transaction"),
      column("uncle_count", "uint64", "number of uncles"),
      column("state_root", "hash", "root of the state after the block"),
      column("transactions_root", "hash", "root of the transactions"),
      column("receipts_root", "hash", "root of the receipts"),
      column("extra_data", "bytes", "what the miner wrote into the header"),
      nullable("hash_for_merged_mining", "hash", "the hash that the coinbase of the parent chain contains"),
      nullable("parent_chain_header", "bytes", "header of the merged-mined block of the parent chain"),
      SIGN,
    ],
  },
  transactions: {
    description: "Transactions with what their receipts say. The last one of a block is the reward transaction.",
    key: ["block_number", "block_hash", "transaction_index"],
    columns: [
      ...TRANSACTION,
      column("from_address", "address", "sender"),
      nullable("to_address", "address", "receiver; null for the creation of a contract"),
      nullable("contract_address", "address", "the contract that the transaction created"),
      column("nonce", "uint64", "number of earlier transactions of the sender"),
      column("value", "uint256", "amount in wei"),
      column("gas_limit", "uint64", "gas limit"),
      column("gas_used", "uint64", "gas used"),
      column("gas_price", "uint256", "price of one unit of gas in wei"),
      column("succeeded", "boolean", "whether the execution succeeded"),
      column("type", "uint64", "type of the transaction"),
      nullable("selector", "bytes", "the first four bytes of the input, if there are as many"),
      column("input", "bytes", "call data, or the code that creates a contract"),
      column("log_count", "uint64", "number of logs"),
      SIGN,
    ],
  },
  logs: {
    description: "Logs of transactions.",
    key: ["block_number", "block_hash", "log_index"],
    columns: [
      ...TRANSACTION,
      column("log_index", "uint64", "place of the log in the block, from 0"),
      column("address", "address", "the contract"),
      nullable("topic0", "hash", "first topic: of most events the hash of their signature"),
      nullable("topic1", "hash", "second topic"),
      nullable("topic2", "hash", "third topic"),
      nullable("topic3", "hash", "fourth topic"),
      column("data", "bytes", "data"),
      SIGN,
    ],
  },
  internal_calls: {
    description: "All calls of transactions, as `trace_block` has them: also the transaction's own, whose depth is 0.",
    key: ["block_number", "block_hash", "transaction_index", "call_index"],
    columns: [
      ...TRANSACTION,
      column(
        "call_index",
        "uint64",
        "place of the call in the transaction, from 0; a call comes before those that it makes",
      ),
      column(
        "trace_address",
        "text",
        "indexes of the calls from the transaction's own to this one, `0.2`; empty for the former",
      ),
      column("depth", "uint64", "number of these indexes"),
      column("type", "text", "`call`, `delegatecall`, `callcode`, `staticcall`, `create`, `create2` or `selfdestruct`"),
      column("from_address", "address", "the caller; of a self-destruct the contract"),
      nullable(
        "to_address",
        "address",
        "whose code runs; the created contract; who receives the balance of a self-destruct",
      ),
      column("value", "uint256", "amount in wei"),
      nullable("gas", "uint64", "gas limit of the call"),
      nullable("gas_used", "uint64", "gas used; null if the call failed"),
      column("succeeded", "boolean", "whether the call succeeded"),
      nullable("error", "text", "why it failed"),
      nullable("selector", "bytes", "the first four bytes of the input of a call, if there are as many"),
      column("input", "bytes", "call data, or the code that creates a contract"),
      nullable("output", "bytes", "what the call returned; the code of a created contract"),
      SIGN,
    ],
  },
  bridge_events: {
    description: "Logs of the bridge (`0x0000000000000000000000000000000001000006`), decoded.",
    key: ["block_number", "block_hash", "log_index"],
    columns: [
      ...TRANSACTION,
      column("log_index", "uint64", "place of the log in the block, as in `logs`"),
      column("event", "text", "name of the event, such as `pegin_btc`"),
      nullable("account", "address", "the first argument that is an address"),
      nullable("bitcoin_transaction", "hash", "the argument `btcTxHash`"),
      nullable("amount", "uint256", "the argument `amount`, in the unit of the event"),
      column("arguments", "json", "all arguments by name: an object of strings and booleans"),
      SIGN,
    ],
  },
  pool_events: {
    description:
      "Transactions when the node's pool received them. Best effort: events while the feed is away are missing.",
    key: ["seen_at", "transaction_hash"],
    columns: [
      column("seen_at", "timestamp", "when the feed asked the node and saw it"),
      column("transaction_hash", "hash", "hash of the transaction"),
      nullable(
        "from_address",
        "address",
        "sender; this and all below are null if the transaction had left the pool already",
      ),
      nullable("to_address", "address", "receiver; also null for the creation of a contract"),
      nullable("nonce", "uint64", "number of earlier transactions of the sender"),
      nullable("value", "uint256", "amount in wei"),
      nullable("gas_limit", "uint64", "gas limit"),
      nullable("gas_price", "uint256", "price of one unit of gas in wei"),
      nullable("input", "bytes", "call data, or the code that creates a contract"),
    ],
  },
};
