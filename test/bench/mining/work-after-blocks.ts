import { randomBytes } from "node:crypto";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { solve, submit, type Work } from "@cambium/test-utils/mining-client";
import { startNode, THREADED, withFolder } from "@cambium/test-utils/node-cli";
import { RpcClient, sleep } from "@cambium/test-utils/rpc-client";
import { WsClient } from "@cambium/test-utils/ws-client";
import { type TransactionRequest, Wallet } from "ethers";

type Print = (name: string, value: number, unit: string) => void;

/** Blocks after which pending transactions are dropped (`spec/08`), but one, and how often the pool is filled. */
const BLOCKS = 9;
const ROUNDS = 4;
const ACCOUNTS = 500;
/** Transactions of each account. */
const EACH = 10;
/** Milliseconds between two requests of a miner that polls. */
const POLL_INTERVAL = 100;
const GAS_PRICE = 1_000_000_000n;
const COIN = 10n ** 18n;

/**
 * Time from the arrival of a block at a node with 5,000 pending transactions until a miner has work that builds on it: if the node pushes work,
 * and if the miner asks for it every 100 ms.
 */
export async function workAfterBlocks(print: Print): Promise<void> {
  await withFolder(async (folder) => {
    const node = await startNode("--network", "local", "--data-dir", folder, ...THREADED);
    const rpc = new RpcClient(node.url, false);
    const accounts = Array.from({ length: ACCOUNTS }, () => new Wallet(`0x${randomBytes(32).toString("hex")}`));
    await fund(rpc, accounts);
    const pushed = await PushedWork.subscribe(node.wsUrl!);
    const polled = new PolledWork(rpc);
    const times = { pushed: [] as number[], polled: [] as number[], full: [] as number[] };
    let work: Work = await rpc.call("mnr_getWork");
    for (let i = 0; i < ROUNDS * BLOCKS; i++) {
      if (i % BLOCKS === 0) {
        // Those of the last round, which are soon dropped, are replaced.
        const transfers = await signTransfers(accounts, GAS_PRICE * 2n ** BigInt(i / BLOCKS));
        for (const some of transfers) await Promise.all(some.map((one) => rpc.call("eth_sendRawTransaction", one)));
        if (i === 0) print("pending transactions", Number((await rpc.call("txpool_status")).pending), "transactions");
      }
      const solution = solve(work);
      // Blocks arrive at any time between two polls.
      await sleep(Math.random() * POLL_INTERVAL);
      const arrival = performance.now();
      const { blockHash } = await submit(rpc, "block", solution);
      const [push, poll, full] = await Promise.all([
        pushed.on(blockHash),
        polled.on(blockHash),
        pushed.on(blockHash, ({ feesPaidToMiner }) => feesPaidToMiner !== "0"),
      ]);
      times.pushed.push(push.at - arrival);
      times.polled.push(poll.at - arrival);
      times.full.push(full.at - arrival);
      // Mining the first work, without transactions, keeps the pool as it is.
      work = push.work;
    }
    for (const [name, own] of Object.entries(times)) {
      own.sort((a, b) => a - b);
      const label = name === "full" ? "work with fees, pushed" : `work, ${name}`;
      print(`${label}, p50`, own[Math.floor(own.length / 2)]!, "ms");
      print(`${label}, p99`, own[Math.floor(own.length * 0.99)]!, "ms");
    }
    await pushed.close();
    polled.close();
    await node.stop();
  });
}

async function fund(rpc: RpcClient, accounts: readonly Wallet[]): Promise<void> {
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
}

/** Transactions of all accounts, by nonce. */
function signTransfers(accounts: readonly Wallet[], gasPrice: bigint): Promise<string[][]> {
  const nonces = Array.from({ length: EACH }, (_, nonce) => nonce);
  return Promise.all(
    nonces.map((nonce) =>
      Promise.all(accounts.map((account) => signed(account, { nonce, to: account.address, value: 1n, gasPrice }))),
    ),
  );
}

function signed(from: Wallet, transfer: TransactionRequest): Promise<string> {
  return from.signTransaction({ ...transfer, gasLimit: 21_000, chainId: 33, type: 0 });
}

interface Arrival {
  work: Work;
  at: number;
}

/** Work as it arrives, with the time. */
class ArrivingWork {
  private readonly seen: Arrival[] = [];
  private arrived: (() => void)[] = [];

  protected arrive(work: Work): void {
    this.seen.push({ work, at: performance.now() });
    if (this.seen.length > 100) this.seen.shift();
    for (const resolve of this.arrived.splice(0)) resolve();
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

class PushedWork extends ArrivingWork {
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

class PolledWork extends ArrivingWork {
  private running = true;

  constructor(rpc: RpcClient) {
    super();
    void (async () => {
      while (this.running) {
        this.arrive(await rpc.call("mnr_getWork"));
        await sleep(POLL_INTERVAL);
      }
    })().catch(() => undefined);
  }

  close(): void {
    this.running = false;
  }
}
