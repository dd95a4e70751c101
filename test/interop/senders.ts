import { COUNTER_ABI, COUNTER_CODE } from "@cambium/test-utils/counter-contract";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { getCreateAddress, Interface, Wallet } from "ethers";
import type { InteropNode } from "./interop-node.js";

const GAS_PRICE = 1_000_000_000n;
const COMMON = { chainId: 33n, type: 0, gasPrice: GAS_PRICE };
const SINK = `0x${"51".repeat(20)}`;
const TRANSFER = { to: SINK, value: 1n, gasLimit: 21_000n };
const counter = new Interface(COUNTER_ABI);

/** Accounts with funds, which send transfers and calls of a contract that logs by turns. */
export class Senders {
  private readonly wallets: readonly Wallet[];
  private readonly nonces: number[];
  private contract = "";
  private sent = 0n;

  /** Deployed nodes keep at most 16 pending transactions of an account. */
  constructor(count: number) {
    this.wallets = Array.from({ length: count }, () => new Wallet(Wallet.createRandom().privateKey));
    this.nonces = this.wallets.map(() => 0);
  }

  /** Sends the transactions that fund the accounts, from new developer accounts; resolves with their hashes. */
  async fund(node: InteropNode): Promise<string[]> {
    const hashes: string[] = [];
    for (const [i, { address }] of this.wallets.entries()) {
      const nonce = Math.floor(i / DEVELOPERS.length);
      const fields = { ...COMMON, to: address, value: 10n ** 18n, gasLimit: 21_000n, nonce };
      hashes.push(await sendSigned(node, await DEVELOPERS[i % DEVELOPERS.length]!.signTransaction(fields)));
    }
    return hashes;
  }

  /** Creates the contract; call it once the accounts have funds. Resolves with the transaction's hash. */
  async createContract(node: InteropNode): Promise<string> {
    this.contract = getCreateAddress({ from: this.wallets[0]!.address, nonce: this.nonces[0]! });
    return this.sign(node, 0, { to: null, data: COUNTER_CODE, gasLimit: 1_000_000n });
  }

  /** Sends the next transaction of an account; resolves with its hash. */
  send(node: InteropNode, sender: number): Promise<string> {
    const data = counter.encodeFunctionData("add", [1]);
    const call = { to: this.contract, data, gasLimit: 100_000n };
    return this.sign(node, sender, sender % 2 === 0 ? TRANSFER : call);
  }

  private async sign(node: InteropNode, sender: number, fields: object): Promise<string> {
    const nonce = this.nonces[sender]!++;
    // The odd step avoids siblings where one has exactly twice the fees of the other: each node would keep the first.
    const gasPrice = GAS_PRICE + this.sent++ * 1_000_003n;
    return sendSigned(node, await this.wallets[sender]!.signTransaction({ ...COMMON, ...fields, gasPrice, nonce }));
  }
}

function sendSigned({ rpc }: InteropNode, signed: string): Promise<string> {
  return rpc.call("eth_sendRawTransaction", signed);
}
