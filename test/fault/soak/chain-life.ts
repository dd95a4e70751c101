import { COUNTER_ABI, COUNTER_CODE } from "@cambium/test-utils/counter-contract";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { bestOf, type PeerNode } from "@cambium/test-utils/peers/peer-nodes";
import type { TcpGate } from "@cambium/test-utils/peers/tcp-gate";
import { until } from "@cambium/test-utils/rpc-client";
import { Interface } from "ethers";
import type { Subjects } from "./request-book.js";

/** Number of blocks that the node mines before it loses them, and after that. */
const LOST_BLOCKS = 4;
const KEPT_BLOCKS = 6;
/** Milliseconds to reconnect: a peer on a busy machine that is late several times is not dialled for minutes. */
export const RECONNECTION = 20 * 60_000;
/** Number of blocks requested together. */
const AT_ONCE = 50;
/** The first accounts send transactions; requests of the load use all. */
const SENDERS = DEVELOPERS.slice(0, 5);
/** Number of blocks and transactions that requests refer to. */
const REMEMBERED = 40;

const counter = new Interface(COUNTER_ABI);

/** Mines blocks with transactions on one node, and every ten blocks a heavier branch on another one. */
export class ChainLife {
  reorganisations = 0;
  private readonly blockHashes: string[] = [];
  private readonly transactionHashes: string[] = [];
  private contract = "";
  private rawTransaction = "";
  private rawBlock = "";

  constructor(private readonly node: PeerNode) {}

  get subjects(): Omit<Subjects, "filter"> {
    const { blockHashes, transactionHashes, contract, rawTransaction, rawBlock } = this;
    return { blockHashes, transactionHashes, contract, rawTransaction, rawBlock };
  }

  /** Creates the contract and mines blocks. */
  async begin(blocks: number): Promise<void> {
    const hash = await this.send(0, { to: null, gasLimit: 1_000_000n, data: COUNTER_CODE });
    for (let mined = 0; mined < blocks; mined += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, () => this.node.rpc.call("evm_mine")));
    }
    await this.mine();
    this.contract = (await this.node.rpc.call("eth_getTransactionReceipt", hash)).contractAddress;
    this.rawBlock = await this.node.rpc.call("debug_getRawBlock", "latest");
  }

  /** Mines ten blocks of the node, some of which it loses to the branch of a rival behind a gate. */
  async round(rival: PeerNode, gate: TcpGate): Promise<void> {
    const { node } = this;
    gate.cut();
    await this.mineSome(LOST_BLOCKS);
    const lost = await bestOf(node);
    while ((await difficulty(rival)) <= (await difficulty(node))) await rival.rpc.call("evm_mine");
    gate.join();
    const { hash: heavier } = await bestOf(rival);
    await until(async () => (await bestOf(node)).hash === heavier, RECONNECTION);
    const { hash } = await node.rpc.call("eth_getBlockByNumber", `0x${lost.number.toString(16)}`, false);
    if (hash !== lost.hash) this.reorganisations++;
    await this.mineSome(KEPT_BLOCKS);
  }

  private async mineSome(blocks: number): Promise<void> {
    const data = counter.encodeFunctionData("add", [1]);
    for (let i = 0; i < blocks; i++) {
      for (const sender of SENDERS.keys()) {
        await this.send(sender, sender % 2 === 0 ? { to: this.contract, gasLimit: 100_000n, data } : {});
      }
      await this.mine();
    }
  }

  private async mine(): Promise<void> {
    await this.node.rpc.call("evm_mine");
    remember(this.blockHashes, (await bestOf(this.node)).hash);
  }

  /** Submits a transaction of a developer, by default a transfer; returns its hash. */
  private async send(sender: number, fields: object): Promise<string> {
    const { rpc } = this.node;
    const wallet = SENDERS[sender]!;
    const nonce = Number(await rpc.call("eth_getTransactionCount", wallet.address, "pending"));
    const transfer = {
      to: DEVELOPERS[9]!.address,
      value: 1n,
      gasLimit: 21_000n,
      gasPrice: 1_000_000_000n,
      chainId: 33n,
    };
    this.rawTransaction = await wallet.signTransaction({ ...transfer, value: 0n, type: 0, nonce, ...fields });
    const hash: string = await rpc.call("eth_sendRawTransaction", this.rawTransaction);
    remember(this.transactionHashes, hash);
    return hash;
  }
}

async function difficulty({ rpc }: PeerNode): Promise<bigint> {
  return BigInt((await rpc.call("eth_getBlockByNumber", "latest", false)).totalDifficulty);
}

function remember(list: string[], hash: string): void {
  list.push(hash);
  if (list.length > REMEMBERED) list.shift();
}
