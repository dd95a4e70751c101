import { randomBytes } from "node:crypto";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import type { Work } from "@cambium/test-utils/mining-client";
import type { RpcClient } from "@cambium/test-utils/rpc-client";
import { WsClient } from "@cambium/test-utils/ws-client";
import { type TransactionRequest, Wallet } from "ethers";

const ACCOUNTS = 500;
/** Transactions of each account. */
const EACH = 10;
const GAS_PRICE = 1_000_000_000n;
const COIN = 10n ** 18n;

/** New accounts with coins of a local chain. */
export async function fundedAccounts(rpc: RpcClient): Promise<Wallet[]> {
  const accounts = Array.from({ length: ACCOUNTS }, () => new Wallet(`0x${randomBytes(32).toString("hex")}`));
  for (let i = 0; i < accounts.length; i += DEVELOPERS.length) {
    const sent = DEVELOPERS.map(async (developer, j) => {
      const nonce = i / DEVELOPERS.length;
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

/** Sends transfers of all accounts, with the first of their nonces. */
export async function fillPool(rpc: RpcClient, accounts: readonly Wallet[], gasPrice: () => bigint): Promise<void> {
  for (let nonce = 0; nonce < EACH; nonce++) {
    const sent = accounts.map(async (account) => {
      const transfer = await signed(account, { nonce, to: account.address, value: 1n, gasPrice: gasPrice() });
      return rpc.call("eth_sendRawTransaction", transfer);
    });
    await Promise.all(sent);
  }
}

function signed(from: Wallet, transfer: TransactionRequest): Promise<string> {
  return from.signTransaction({ ...transfer, gasLimit: 21_000, chainId: 33, type: 0 });
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
    this.seen.push({ work, at: performance.now() });
    if (this.seen.length > 100) this.seen.shift();
    for (const resolve of this.arrived.splice(0)) resolve();
  }

  /** All work on a block so far. */
  allOn(parent: string): Arrival[] {
    return this.seen.filter(({ work }) => work.parentBlockHash === parent);
  }

  /** The first work on a block that is as wanted. */
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
