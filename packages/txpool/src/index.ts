export { bestStateOf, largestListGas } from "./best-state.js";
export { TxPoolError } from "./errors.js";
export type {
  AddResult,
  PoolChange,
  PoolEvent,
  PooledTransaction,
  PoolListener,
  PoolReader,
  TransactionPoolApi,
} from "./interface.js";
export { TransactionJournal } from "./journal.js";
export { DEFAULT_POOL_OPTIONS, type PoolOptions } from "./options.js";
export { orderForBlock } from "./order.js";
export { PendingState } from "./pending-state.js";
export { openTransactionPool, type PoolChain, TransactionPool } from "./pool.js";
export { STATELESS_REFUSALS } from "./refusals.js";
export { MAX_TRANSACTION_SIZE } from "./validation.js";
