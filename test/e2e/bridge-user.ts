import { type Json, type RpcClient, RpcFailure, sleep, until } from "@cambium/test-utils/rpc-client";
import { bridge } from "@rsksmart/rsk-precompiled-abis";
import { Interface, id, type LogDescription, type SigningKey, Wallet } from "ethers";
import type { Proof } from "./parent-chain.js";

const ABI = new Interface([
  ...bridge.abi,
  "function registerFastBridgeBtcTransaction(bytes,uint256,bytes,bytes32,bytes,address,bytes,bool) returns (int256)",
]);
const GAS = 400_000;
const GAS_PRICE = 1_000_000_000;

/** A mined transaction. */
export interface Sent {
  succeeded: boolean;
  /** Events of the bridge, parsed with its published ABI. */
  events: LogDescription[];
  receipt: Json;
}

/** A user of the bridge; the private key is the hash of the name. */
export class BridgeUser {
  readonly key: SigningKey;
  readonly address: string;
  private readonly wallet: Wallet;

  constructor(
    private readonly rpc: RpcClient,
    name: string,
    /** Number of blocks that must follow that of a transaction; 0 on a node with automatic mining. */
    private readonly depth = 0,
  ) {
    this.wallet = new Wallet(id(name));
    this.key = this.wallet.signingKey;
    this.address = this.wallet.address;
  }

  get compressedKey(): string {
    return this.key.compressedPublicKey;
  }

  /** Calls a bridge method in a transaction to the bridge, or to a contract that forwards it. */
  call(method: string, args: readonly unknown[] = [], to: string = bridge.address): Promise<Sent> {
    const data = ABI.encodeFunctionData(method, args);
    return this.send({ to, data, gasLimit: GAS + 35 * data.length });
  }

  async send(request: { to?: string; data?: string; value?: bigint; gasLimit?: number }): Promise<Sent> {
    const nonce = Number(await this.rpc.call("eth_getTransactionCount", this.address, "latest"));
    const fields = { type: 0, chainId: 33, gasLimit: GAS, gasPrice: GAS_PRICE };
    const raw = await this.wallet.signTransaction({ ...fields, nonce, ...request });
    const hash = await this.submit(raw);
    let receipt: Json;
    await until(async () => {
      receipt = await this.rpc.call("eth_getTransactionReceipt", hash);
      if (receipt === null || this.depth === 0) return receipt !== null;
      return Number(await this.rpc.call("eth_blockNumber")) >= Number(receipt.blockNumber) + this.depth;
    });
    return { succeeded: receipt.status === "0x1", events: readEvents(receipt), receipt };
  }

  /** Retries while the pool rejects the transaction because the quota of a new account is used up. */
  private async submit(raw: string): Promise<string> {
    for (let tries = 0; ; tries++) {
      try {
        return await this.rpc.call("eth_sendRawTransaction", raw);
      } catch (error) {
        if (tries === 50 || !(error instanceof RpcFailure && error.message.includes("quota"))) throw error;
        await sleep(200);
      }
    }
  }

  async register(proof: Proof): Promise<Sent> {
    if (proof.coinbase !== undefined) {
      const { raw, blockHash, tree, witnessRoot, reserved } = proof.coinbase;
      const registered = await this.call("registerBtcCoinbaseTransaction", [
        raw,
        blockHash,
        tree,
        witnessRoot,
        reserved,
      ]);
      if (!registered.succeeded) throw new Error("the bridge refused the coinbase");
    }
    return this.call("registerBtcTransaction", [proof.raw, proof.height, proof.tree]);
  }

  /** The result of a method in a simulated call. */
  async ask(method: string, args: readonly unknown[] = [], to: string = bridge.address): Promise<Json> {
    const data = ABI.encodeFunctionData(method, args);
    const answer = await this.rpc.call("eth_call", { from: this.address, to, data }, "latest");
    return ABI.decodeFunctionResult(method, answer)[0];
  }
}

function readEvents({ logs }: Json): LogDescription[] {
  return logs.flatMap((log: { address: string; topics: string[]; data: string }) => {
    return log.address === bridge.address ? [ABI.parseLog(log)!] : [];
  });
}
