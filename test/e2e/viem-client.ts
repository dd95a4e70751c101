import {
  BaseError,
  createPublicClient,
  type EIP1193RequestFn,
  type Hex,
  http,
  keccak256,
  type Log,
  RpcRequestError,
  serializeTransaction,
} from "viem";
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

const EXECUTION_FAILED = -32015;

function connect(url: string) {
  return createPublicClient({ transport: http(url) });
}

/** viem with its defaults: one HTTP request for each call. */
export class ViemClient implements ChainClient {
  readonly library = "viem";
  private readonly client: ReturnType<typeof connect>;

  constructor(url: string) {
    this.client = connect(url);
  }

  chainId(): Promise<number> {
    return this.client.getChainId();
  }

  async blockNumber(): Promise<number> {
    return Number(await this.client.getBlockNumber());
  }

  async block(at: number | string): Promise<SeenBlock | null> {
    const selector = typeof at === "number" ? { blockNumber: BigInt(at) } : { blockHash: at as Hex };
    const block = await orNull(this.client.getBlock({ ...selector, includeTransactions: true }), "BlockNotFoundError");
    if (block === null) return null;
    return {
      number: Number(block.number),
      hash: block.hash!,
      parentHash: block.parentHash,
      stateRoot: block.stateRoot,
      receiptsRoot: block.receiptsRoot,
      gasUsed: block.gasUsed,
      gasLimit: block.gasLimit,
      timestamp: Number(block.timestamp),
      miner: block.miner!,
      difficulty: block.difficulty,
      transactions: block.transactions.map((transaction) => transaction.hash),
    };
  }

  async transaction(hash: string): Promise<SeenTransaction | null> {
    const found = await orNull(this.client.getTransaction({ hash: hash as Hex }), "TransactionNotFoundError");
    if (found === null) return null;
    return {
      hash: found.hash,
      blockHash: found.blockHash!,
      blockNumber: Number(found.blockNumber),
      index: found.transactionIndex!,
      from: found.from,
      recomputedHash: found.gasPrice! > 0n ? recomputeHash(found) : undefined,
    };
  }

  async receipt(hash: string): Promise<SeenReceipt | null> {
    const question = this.client.getTransactionReceipt({ hash: hash as Hex });
    const receipt = await orNull(question, "TransactionReceiptNotFoundError");
    if (receipt === null) return null;
    return {
      transactionHash: receipt.transactionHash,
      blockHash: receipt.blockHash,
      index: receipt.transactionIndex,
      gasUsed: receipt.gasUsed,
      cumulativeGasUsed: receipt.cumulativeGasUsed,
      succeeded: receipt.status === "success",
      logsBloom: receipt.logsBloom,
      contractAddress: receipt.contractAddress?.toLowerCase() ?? null,
      logs: receipt.logs.map(seenLog),
    };
  }

  async logs({ fromBlock, toBlock, address, topic }: LogSearch): Promise<SeenLog[]> {
    const range = { fromBlock: BigInt(fromBlock), toBlock: BigInt(toBlock), address: address as Hex | undefined };
    const logs = await this.client.getLogs(range);
    // viem filters by typed events, not by plain topics.
    return logs.map(seenLog).filter((log) => topic === undefined || log.topics[0] === topic);
  }

  balance(address: string): Promise<bigint> {
    return this.client.getBalance({ address: address as Hex });
  }

  nonce(address: string): Promise<number> {
    return this.client.getTransactionCount({ address: address as Hex });
  }

  async code(address: string): Promise<string> {
    return (await this.client.getCode({ address: address as Hex })) ?? "0x";
  }

  async storage(address: string, slot: string): Promise<string> {
    return (await this.client.getStorageAt({ address: address as Hex, slot: slot as Hex })) ?? "0x";
  }

  async call({ from, to, data, gas, blockNumber }: CallRequest): Promise<SeenCall> {
    const call = { account: from as Hex, to: to as Hex, data: data as Hex, gas: BigInt(gas) };
    try {
      return { output: (await this.client.call({ ...call, blockNumber: BigInt(blockNumber) })).data ?? "0x" };
    } catch (error) {
      // viem does not know this chain's code for reverts; the node's error is in the chain of causes.
      const said = error instanceof BaseError ? error.walk((cause) => cause instanceof RpcRequestError) : null;
      if (!(said instanceof RpcRequestError) || said.code !== EXECUTION_FAILED) throw error;
      return said.data === undefined ? { failed: true } : { reverted: said.data as unknown as string };
    }
  }

  request(method: string, params: unknown[]): Promise<unknown> {
    const request = this.client.request as EIP1193RequestFn<undefined>;
    return request({ method, params });
  }

  close(): void {}
}

type FoundTransaction = Awaited<ReturnType<ReturnType<typeof connect>["getTransaction"]>>;

function recomputeHash({ to, gas, gasPrice, value, nonce, input, r, s, v, chainId }: FoundTransaction): string {
  const fields = { type: "legacy", to, gas, gasPrice, value, nonce, data: input, chainId } as const;
  return keccak256(serializeTransaction(fields, { r: r!, s: s!, v }));
}

/** viem throws an error with a certain name if an object does not exist. */
async function orNull<T>(question: Promise<T>, name: string): Promise<T | null> {
  try {
    return await question;
  } catch (error) {
    if (error instanceof BaseError && error.name === name) return null;
    throw error;
  }
}

function seenLog(log: Log<bigint, number, boolean>): SeenLog {
  return {
    address: log.address,
    topics: [...log.topics],
    data: log.data,
    blockNumber: Number(log.blockNumber),
    blockHash: log.blockHash!,
    transactionHash: log.transactionHash!,
    transactionIndex: log.transactionIndex!,
    logIndex: log.logIndex!,
  };
}
