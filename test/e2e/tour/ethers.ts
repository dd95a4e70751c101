import { COUNTER_ABI, COUNTER_CODE } from "@cambium/test-utils/counter-contract";
import {
  Contract,
  ContractFactory,
  type ContractTransactionReceipt,
  type EventLog,
  getBigInt,
  getNumber,
  Interface,
  JsonRpcProvider,
  type Log,
  toQuantity,
  Wallet,
  WebSocketProvider,
} from "ethers";
import {
  type Channel,
  type Library,
  type LibraryOptions,
  POLLING_INTERVAL,
  type SeenAddition,
  type SeenProof,
  type Watch,
} from "./library.js";

const COUNTER = new Interface(COUNTER_ABI);

/** ethers v6, which sends simultaneous requests in one batch. */
export class Ethers implements Library {
  // The library caches responses, including nonces, for a quarter of a second, in which several blocks may be mined.
  private readonly provider: JsonRpcProvider;
  private readonly wallet: Wallet;
  private readonly wsUrl: string;

  constructor({ url, wsUrl, privateKey }: LibraryOptions) {
    this.provider = new JsonRpcProvider(url, undefined, { cacheTimeout: -1, pollingInterval: POLLING_INTERVAL });
    this.wallet = new Wallet(privateKey, this.provider);
    this.wsUrl = wsUrl;
  }

  async deploy(): Promise<string> {
    const deployed = await new ContractFactory(COUNTER_ABI, COUNTER_CODE, this.wallet).deploy();
    await deployed.waitForDeployment();
    return (await deployed.getAddress()).toLowerCase();
  }

  async add(counter: string, amount: number): Promise<SeenAddition> {
    const sent = await this.counter(counter).add!(amount);
    const { hash, blockNumber, status, logs }: ContractTransactionReceipt = await sent.wait();
    return { hash, blockNumber, succeeded: status === 1, totals: logs.map(totalOf) };
  }

  async addInVain(counter: string, amount: number): Promise<unknown> {
    return this.counter(counter).add!(amount, { gasLimit: 100_000 });
  }

  total(counter: string): Promise<bigint> {
    return this.counter(counter).total!();
  }

  async pastTotals(counter: string): Promise<bigint[]> {
    return (await this.counter(counter).queryFilter("Added", 0)).map((log) => (log as EventLog).args.total);
  }

  async send(to: string, value: bigint): Promise<string> {
    const sent = await this.wallet.sendTransaction({ to, value });
    return (await sent.wait())!.hash;
  }

  balances(addresses: readonly string[]): Promise<bigint[]> {
    return Promise.all(addresses.map((address) => this.provider.getBalance(address)));
  }

  async proof(address: string, slots: readonly bigint[]): Promise<SeenProof> {
    const proof = await this.provider.send("eth_getProof", [address, slots.map(toQuantity), "latest"]);
    return {
      balance: getBigInt(proof.balance),
      nonce: getNumber(proof.nonce),
      accountProof: proof.accountProof,
      storageProof: proof.storageProof.map(({ key, value, proof }: Record<string, string>) => {
        return { key: getBigInt(key!), value: getBigInt(value!), proof };
      }),
    };
  }

  async watch(counter: string, channel: Channel): Promise<Watch> {
    const provider = channel === "filters" ? this.provider : new WebSocketProvider(this.wsUrl);
    const [heads, totals, pending]: [number[], bigint[], string[]] = [[], [], []];
    await provider.on("block", (number: number) => heads.push(number));
    await provider.on({ address: counter }, (log: Log) => totals.push(totalOf(log)));
    await provider.on("pending", (hash: string) => pending.push(hash));
    // Filters are created in the background; subscriptions were sent before this request.
    if (channel === "filters") await new Promise((resolve) => setTimeout(resolve, 10 * POLLING_INTERVAL));
    else await provider.getBlockNumber();
    const stop = async () => {
      await provider.removeAllListeners();
      if (channel === "subscriptions") await provider.destroy();
    };
    return { heads, totals, pending, stop };
  }

  async close(): Promise<void> {
    this.provider.destroy();
  }

  private counter(address: string): Contract {
    return new Contract(address, COUNTER_ABI, this.wallet);
  }
}

function totalOf({ topics, data }: Log): bigint {
  return COUNTER.parseLog({ topics, data })!.args.total;
}
