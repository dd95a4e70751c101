import { type Solution, type SubmittedBlock, submit, type Work } from "@cambium/test-utils/clients/mining-client";
import { WsClient } from "@cambium/test-utils/clients/ws-client";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { type RpcClient, type RpcFailure, sleep } from "@cambium/test-utils/rpc-client";
import { id, type TransactionRequest, Wallet } from "ethers";

const ACCOUNTS = 500;
/** Transactions of each account. */
const EACH = 10;
/** Transactions sent at a time: each takes a connection. */
const AT_A_TIME = 100;
const GAS_PRICE = 1_000_000_000n;
const COIN = 10n ** 18n;
const METHOD_MISSING = -32601;

/** Returns accounts with coins of a local chain, different ones for each `name`. */
export async function fundedAccounts(rpc: RpcClient, name: string): Promise<Wallet[]> {
  const accounts = Array.from({ length: ACCOUNTS }, (_, i) => new Wallet(id(`${name} ${i}`)));
  const used = Number(await rpc.call("eth_getTransactionCount", DEVELOPERS[0]!.address, "latest"));
  for (let i = 0; i < accounts.length; i += DEVELOPERS.length) {
    const sent = DEVELOPERS.map(async (developer, j) => {
      const nonce = used + i / DEVELOPERS.length;
      await rpc.call(
        "eth_sendRawTransaction",
        await signed(developer, { nonce, to: accounts[i + j]!.address, value: COIN, gasPrice: GAS_PRICE }),
      );
    });
    await Promise.all(sent);
    await rpc.call("evm_mine");
  }
  return accounts;
}

/**
 * Sends ten transfers of each account, with the nonces after its last one in a block. Waiting ones with a lower price
 * are replaced.
 */
export async function fillPool(rpc: RpcClient, accounts: readonly Wallet[], gasPrice: () => bigint): Promise<void> {
  const used: unknown[] = [];
  for (const { address } of accounts) used.push(await rpc.call("eth_getTransactionCount", address, "latest"));
  for (let i = 0; i < EACH; i++) {
    const transfers = accounts.map((account, j) => {
      const nonce = Number(used[j]) + i;
      return signed(account, { nonce, to: account.address, value: 1n, gasPrice: gasPrice() });
    });
    await sendAll(rpc, await Promise.all(transfers));
  }
}

/** Sends signed transactions, some at a time. */
export async function sendAll(rpc: RpcClient, signed: readonly string[]): Promise<void> {
  for (let start = 0; start < signed.length; start += AT_A_TIME) {
    const some = signed.slice(start, start + AT_A_TIME);
    await Promise.all(some.map((transaction) => rpc.call("eth_sendRawTransaction", transaction)));
  }
}

function signed(from: Wallet, transfer: TransactionRequest): Promise<string> {
  return from.signTransaction({ ...transfer, gasLimit: 21_000, chainId: 33, type: 0 });
}

/** Submits a solution, also to a node with the deployed client's name of the method. */
export async function submitSolution(rpc: RpcClient, solution: Solution): Promise<SubmittedBlock> {
  try {
    return await submit(rpc, "block", solution);
  } catch (error) {
    if ((error as RpcFailure).code !== METHOD_MISSING) throw error;
    return submit(
      { call: (name, ...rest) => rpc.call(name.replace("ParentChain", "Bitcoin"), ...rest) },
      "block",
      solution,
    );
  }
}

export interface Arrival {
  work: Work;
  at: number;
}

/** Work as it arrives, with the time. */
export class ArrivingWork {
  private readonly seen: Arrival[] = [];
  private arrived: (() => void)[] = [];

  protected arrive(work: Work): void {
    if (this.seen.at(-1)?.work.blockHashForMergedMining === work.blockHashForMergedMining) return;
    this.seen.push({ work, at: performance.now() });
    if (this.seen.length > 100) this.seen.shift();
    for (const resolve of this.arrived.splice(0)) resolve();
  }

  /** Returns all work on a block so far. */
  allOn(parent: string): Arrival[] {
    return this.seen.filter(({ work }) => work.parentBlockHash === parent);
  }

  /** Returns the first work on a block that satisfies `isWanted`. */
  async on(parent: string, isWanted = (_: Work) => true): Promise<Arrival> {
    for (;;) {
      const found = this.seen.find(({ work }) => work.parentBlockHash === parent && isWanted(work));
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.arrived.push(resolve));
    }
  }
}

export class PushedWork extends ArrivingWork {
  private constructor(private readonly client: WsClient) {
    super();
    client.onNotification = (work) => this.arrive(work);
  }

  static async subscribe(url: string): Promise<PushedWork> {
    const pushed = new PushedWork(await WsClient.open(url));
    await pushed.client.call({ method: "eth_subscribe", params: ["work"] });
    return pushed;
  }

  close(): Promise<void> {
    return this.client.end(true);
  }
}

/** Work of a miner that requests it repeatedly. */
export class PolledWork extends ArrivingWork {
  private running = true;

  /** `interval`: milliseconds between an answer and the next request. */
  constructor(rpc: RpcClient, interval: number) {
    super();
    void (async () => {
      while (this.running) {
        this.arrive(await rpc.call("mnr_getWork"));
        await sleep(interval);
      }
    })().catch(() => undefined);
  }

  close(): void {
    this.running = false;
  }
}
