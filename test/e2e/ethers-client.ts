import {
  type Block,
  isCallException,
  isError,
  JsonRpcProvider,
  type Log,
  Transaction,
  type TransactionReceipt,
  type TransactionResponse,
} from "ethers";
import type {
  CallRequest,
  ChainClient,
  LogSearch,
  SeenBlock,
  SeenCall,
  SeenLog,
  SeenReceipt,
  SeenTransaction,
} from "./chain-client.js";

/** ethers v6 with its defaults: batches of up to 100 requests. */
export class EthersClient implements ChainClient {
  readonly library = "ethers";
  private readonly provider: JsonRpcProvider;

  constructor(url: string) {
    this.provider = new JsonRpcProvider(url);
  }

  async chainId(): Promise<number> {
    return Number((await this.provider.getNetwork()).chainId);
  }

  blockNumber(): Promise<number> {
    return this.provider.getBlockNumber();
  }

  async block(at: number | string): Promise<SeenBlock | null> {
    const block = await this.provider.getBlock(at, true);
    return block === null ? null : seenBlock(block);
  }

  async transaction(hash: string): Promise<SeenTransaction | null> {
    const transaction = await this.provider.getTransaction(hash);
    return transaction === null ? null : seenTransaction(transaction);
  }

  async receipt(hash: string): Promise<SeenReceipt | null> {
    const receipt = await this.provider.getTransactionReceipt(hash);
    return receipt === null ? null : seenReceipt(receipt);
  }

  async logs({ fromBlock, toBlock, address, topic }: LogSearch): Promise<SeenLog[]> {
    const topics = topic === undefined ? undefined : [topic];
    return (await this.provider.getLogs({ fromBlock, toBlock, address, topics })).map(seenLog);
  }

  balance(address: string): Promise<bigint> {
    return this.provider.getBalance(address);
  }

  nonce(address: string): Promise<number> {
    return this.provider.getTransactionCount(address);
  }

  code(address: string): Promise<string> {
    return this.provider.getCode(address);
  }

  storage(address: string, slot: string): Promise<string> {
    return this.provider.getStorage(address, slot);
  }

  async call({ from, to, data, gas, blockNumber }: CallRequest): Promise<SeenCall> {
    try {
      return { output: await this.provider.call({ from, to, data, gasLimit: gas, blockTag: blockNumber }) };
    } catch (error) {
      if (isCallException(error) && error.data !== null) return { reverted: error.data };
      if (isCallException(error) || isError(error, "UNKNOWN_ERROR")) return { failed: true };
      throw error;
    }
  }

  request(method: string, params: unknown[]): Promise<unknown> {
    return this.provider.send(method, params);
  }

  close(): void {
    this.provider.destroy();
  }
}

function seenBlock(block: Block): SeenBlock {
  return {
    number: block.number,
    hash: block.hash!,
    parentHash: block.parentHash,
    stateRoot: block.stateRoot!,
    receiptsRoot: block.receiptsRoot!,
    gasUsed: block.gasUsed,
    gasLimit: block.gasLimit,
    timestamp: block.timestamp,
    miner: block.miner.toLowerCase(),
    difficulty: block.difficulty,
    transactions: block.prefetchedTransactions.map((transaction) => transaction.hash),
  };
}

function seenTransaction(transaction: TransactionResponse): SeenTransaction {
  return {
    hash: transaction.hash,
    blockHash: transaction.blockHash!,
    blockNumber: transaction.blockNumber!,
    index: transaction.index,
    from: transaction.from.toLowerCase(),
    recomputedHash: transaction.gasPrice > 0n ? Transaction.from(transaction).hash! : undefined,
  };
}

function seenReceipt(receipt: TransactionReceipt): SeenReceipt {
  return {
    transactionHash: receipt.hash,
    blockHash: receipt.blockHash,
    index: receipt.index,
    gasUsed: receipt.gasUsed,
    cumulativeGasUsed: receipt.cumulativeGasUsed,
    succeeded: receipt.status === 1,
    logsBloom: receipt.logsBloom,
    contractAddress: receipt.contractAddress?.toLowerCase() ?? null,
    logs: receipt.logs.map(seenLog),
  };
}

function seenLog(log: Log): SeenLog {
  return {
    address: log.address.toLowerCase(),
    topics: [...log.topics],
    data: log.data,
    blockNumber: log.blockNumber,
    blockHash: log.blockHash,
    transactionHash: log.transactionHash,
    transactionIndex: log.transactionIndex,
    logIndex: log.index,
  };
}
