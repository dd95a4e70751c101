import { COUNTER_ABI, COUNTER_CODE } from "@cambium/test-utils/counter-contract";
import {
  type Chain,
  createPublicClient,
  createWalletClient,
  defineChain,
  type Hex,
  http,
  pad,
  parseEventLogs,
  toHex,
  webSocket,
} from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import {
  type Channel,
  type Library,
  type LibraryOptions,
  POLLING_INTERVAL,
  type SeenAddition,
  type SeenProof,
  type Watch,
} from "./library.js";

const pollingInterval = POLLING_INTERVAL;

function readerOf(chain: Chain) {
  return createPublicClient({ chain, transport: http(undefined, { batch: true }), pollingInterval });
}

function walletOf(chain: Chain, account: PrivateKeyAccount) {
  return createWalletClient({ chain, account, transport: http() });
}

/** viem, configured to send batches. */
export class Viem implements Library {
  private readonly chain: Chain;
  private readonly reader: ReturnType<typeof readerOf>;
  private readonly wallet: ReturnType<typeof walletOf>;

  constructor({ url, wsUrl, privateKey }: LibraryOptions) {
    const nativeCurrency = { name: "coin", symbol: "COIN", decimals: 18 };
    const rpcUrls = { default: { http: [url], webSocket: [wsUrl] } };
    this.chain = defineChain({ id: 33, name: "local", nativeCurrency, rpcUrls });
    this.reader = readerOf(this.chain);
    this.wallet = walletOf(this.chain, privateKeyToAccount(privateKey as Hex));
  }

  async deploy(): Promise<string> {
    const hash = await this.wallet.deployContract({ abi: COUNTER_ABI, bytecode: COUNTER_CODE });
    return (await this.reader.waitForTransactionReceipt({ hash })).contractAddress!;
  }

  async add(counter: string, amount: number): Promise<SeenAddition> {
    const hash = await this.wallet.writeContract({ ...at(counter), functionName: "add", args: [BigInt(amount)] });
    const { blockNumber, status, logs } = await this.reader.waitForTransactionReceipt({ hash });
    const totals = parseEventLogs({ abi: COUNTER_ABI, eventName: "Added", logs }).map(({ args }) => args.total);
    return { hash, blockNumber: Number(blockNumber), succeeded: status === "success", totals };
  }

  addInVain(counter: string, amount: number): Promise<unknown> {
    const call = { ...at(counter), functionName: "add", args: [BigInt(amount)], gas: 100_000n } as const;
    return this.wallet.writeContract(call);
  }

  total(counter: string): Promise<bigint> {
    return this.reader.readContract({ ...at(counter), functionName: "total" });
  }

  async pastTotals(counter: string): Promise<bigint[]> {
    const events = await this.reader.getContractEvents({ ...at(counter), eventName: "Added", fromBlock: 0n });
    return events.map(({ args }) => args.total!);
  }

  async send(to: string, value: bigint): Promise<string> {
    const hash = await this.wallet.sendTransaction({ to: to as Hex, value });
    return (await this.reader.waitForTransactionReceipt({ hash })).transactionHash;
  }

  balances(addresses: readonly string[]): Promise<bigint[]> {
    return Promise.all(addresses.map((address) => this.reader.getBalance({ address: address as Hex })));
  }

  async proof(address: string, slots: readonly bigint[]): Promise<SeenProof> {
    const storageKeys = slots.map((slot) => pad(toHex(slot)));
    const { balance, nonce, ...rest } = await this.reader.getProof({ address: address as Hex, storageKeys });
    const storageProof = rest.storageProof.map(({ key, ...cell }) => ({ key: BigInt(key), ...cell }));
    return { balance, nonce, accountProof: rest.accountProof, storageProof };
  }

  async watch(counter: string, channel: Channel): Promise<Watch> {
    const socket = createPublicClient({ chain: this.chain, transport: webSocket(undefined, { reconnect: false }) });
    const client = channel === "filters" ? this.reader : socket;
    const [heads, totals, pending]: [number[], bigint[], string[]] = [[], [], []];
    const stops = [
      client.watchBlocks({ onBlock: ({ number }) => heads.push(Number(number)), emitMissed: true }),
      client.watchContractEvent({
        ...at(counter),
        eventName: "Added",
        onLogs: (logs) => totals.push(...logs.map(({ args }) => args.total!)),
      }),
      client.watchPendingTransactions({ onTransactions: (hashes) => pending.push(...hashes) }),
    ];
    // The library creates filters and subscriptions in the background.
    await new Promise((resolve) => setTimeout(resolve, 10 * POLLING_INTERVAL));
    const stop = async () => {
      for (const end of stops) end();
      if (channel === "subscriptions") (await socket.transport.getRpcClient()).close();
    };
    return { heads, totals, pending, stop };
  }

  async close(): Promise<void> {}
}

function at(counter: string) {
  return { abi: COUNTER_ABI, address: counter as Hex };
}
