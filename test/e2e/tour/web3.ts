import { COUNTER_ABI, COUNTER_CODE } from "@cambium/test-utils/counter-contract";
import { Web3 } from "web3";
import {
  type Channel,
  type Library,
  type LibraryOptions,
  POLLING_INTERVAL,
  type SeenAddition,
  type SeenProof,
  type Watch,
} from "./library.js";

/** web3.js 4. */
export class Web3js implements Library {
  private readonly web3: Web3;
  private readonly socket: Web3;
  private readonly from: string;

  constructor({ url, wsUrl, privateKey }: LibraryOptions) {
    this.web3 = new Web3(url);
    this.socket = new Web3(wsUrl);
    // The library's default are EIP-1559 fees, which this chain lacks.
    this.web3.defaultTransactionType = "0x0";
    this.from = this.web3.eth.accounts.wallet.add(privateKey)[0]!.address;
  }

  async deploy(): Promise<string> {
    const contract = new this.web3.eth.Contract(COUNTER_ABI);
    const deployed = await contract.deploy({ data: COUNTER_CODE }).send({ from: this.from });
    return deployed.options.address!.toLowerCase();
  }

  async add(counter: string, amount: number): Promise<SeenAddition> {
    const receipt = await this.counter(counter).methods.add(amount).send({ from: this.from });
    return {
      hash: receipt.transactionHash,
      blockNumber: Number(receipt.blockNumber),
      succeeded: receipt.status === 1n,
      totals: [receipt.events!.Added!.returnValues.total as bigint],
    };
  }

  async addInVain(counter: string, amount: number): Promise<unknown> {
    return this.counter(counter).methods.add(amount).send({ from: this.from, gas: "100000" });
  }

  total(counter: string): Promise<bigint> {
    return this.counter(counter).methods.total().call();
  }

  async pastTotals(counter: string): Promise<bigint[]> {
    const events = await this.counter(counter).getPastEvents("Added", { fromBlock: 0 });
    return events.map((event) => totalOf(event));
  }

  async send(to: string, value: bigint): Promise<string> {
    return (await this.web3.eth.sendTransaction({ from: this.from, to, value })).transactionHash as string;
  }

  async balances(addresses: readonly string[]): Promise<bigint[]> {
    const batch = new this.web3.BatchRequest();
    const answers = addresses.map((address) => {
      return batch.add<string>({ method: "eth_getBalance", params: [address, "latest"] });
    });
    await batch.execute();
    return (await Promise.all(answers)).map(BigInt);
  }

  async proof(address: string, slots: readonly bigint[]): Promise<SeenProof> {
    const keys = slots.map((slot) => this.web3.utils.padLeft(slot, 64));
    const { balance, nonce, accountProof, storageProof } = await this.web3.eth.getProof(address, keys);
    // The library pads storage nodes to 32 bytes, while those of this chain may be shorter; this is the raw response.
    const method = "eth_getProof";
    const raw: typeof storageProof = (
      await this.web3.requestManager.send({ method, params: [address, keys, "latest"] })
    ).storageProof;
    return {
      balance,
      nonce: Number(nonce),
      accountProof,
      storageProof: storageProof.map(({ key, value }, i) => ({ key: BigInt(key), value, proof: raw[i]!.proof })),
    };
  }

  watch(counter: string, channel: Channel): Promise<Watch> {
    return channel === "filters" ? this.watchFilters(counter) : this.watchSubscriptions(counter);
  }

  async close(): Promise<void> {
    this.socket.provider!.disconnect();
  }

  private counter(address: string) {
    return new this.web3.eth.Contract(COUNTER_ABI, address);
  }

  private async watchFilters(counter: string): Promise<Watch> {
    const { eth } = this.web3;
    const filters = {
      heads: await eth.createNewBlockFilter(),
      totals: await eth.createNewFilter({ address: counter }),
      pending: await eth.createNewPendingTransactionFilter(),
    };
    const watch: Omit<Watch, "stop"> = { heads: [], totals: [], pending: [] };
    const poll = async () => {
      for (const hash of await eth.getFilterChanges(filters.heads)) {
        watch.heads.push(Number((await eth.getBlock(hash as string)).number));
      }
      for (const log of await eth.getFilterChanges(filters.totals)) {
        watch.totals.push(BigInt((log as { data: string }).data));
      }
      watch.pending.push(...((await eth.getFilterChanges(filters.pending)) as string[]));
    };
    let polling = poll();
    const timer = setInterval(() => (polling = polling.then(poll)), POLLING_INTERVAL);
    const stop = async () => {
      clearInterval(timer);
      await polling;
      for (const filter of Object.values(filters)) await eth.uninstallFilter(filter);
    };
    return { ...watch, stop };
  }

  private async watchSubscriptions(counter: string): Promise<Watch> {
    const { eth } = this.socket;
    const watch: Omit<Watch, "stop"> = { heads: [], totals: [], pending: [] };
    const heads = await eth.subscribe("newHeads");
    heads.on("data", ({ number }) => void watch.heads.push(Number(number)));
    const logs = await new eth.Contract(COUNTER_ABI, counter).events.Added();
    logs.on("data", (event) => void watch.totals.push(totalOf(event)));
    const pending = await eth.subscribe("newPendingTransactions");
    pending.on("data", (hash) => void watch.pending.push(hash));
    const stop = async () => {
      for (const subscription of [heads, logs, pending]) await subscription.unsubscribe();
    };
    return { ...watch, stop };
  }
}

/** A log decoded by the contract's interface. */
function totalOf(event: unknown): bigint {
  return (event as { returnValues: { total: bigint } }).returnValues.total;
}
