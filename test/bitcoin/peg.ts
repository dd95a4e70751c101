import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atDepth } from "@cambium/test-utils/depth";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { type RunningNode, runCli, spawnCli, startNode } from "@cambium/test-utils/node-cli";
import { type Json, RpcClient, sleep } from "@cambium/test-utils/rpc-client";
import { type BridgeState, getBridgeState } from "@rsksmart/bridge-state-data-parser";
import { bridge } from "@rsksmart/rsk-precompiled-abis";
import { Transaction } from "bitcoinjs-lib";
import { encodeBase58, getBytes, id, type LogDescription, SigningKey, sha256, Wallet } from "ethers";
import { BridgeUser, type Sent } from "../e2e/bridge-user.js";
import type { Proof } from "../e2e/parent-chain.js";
import { signInput } from "../e2e/script-check.js";
import type { BitcoinNode } from "./bitcoin-node.js";
import { proofFor } from "./parent-proofs.js";

export const COIN = 100_000_000;
export const WEI_PER_SATOSHI = 10n ** 10n;
/** Parent height from which the bridge recognises its own transactions by their index. */
export const INDEX_HEIGHT = 350;
/**
 * Number of confirmations that the bridge requires, including the block itself, and of blocks before a created
 * transaction is signed.
 */
export const CONFIRMATIONS = 3;
/** Verdict of a mempool on a transaction that it would accept. */
export const ACCEPTED = /^accepted$/;
const HEADERS_PER_CALL = 50;
const GENESIS_FEDERATORS = ["federator1", "federator2", "federator3"];

export function named(events: readonly LogDescription[], name: string): LogDescription {
  const found = events.find((event) => event.name === name);
  assert.ok(found, `no ${name} among ${events.map((event) => event.name)}`);
  return found;
}

/** Returns an amount in the form that Bitcoin nodes accept. */
export function btc(satoshi: number): string {
  return (satoshi / COIN).toFixed(8);
}

/** Compressed public key of the user with that name. */
export function publicKey(name: string): string {
  return new SigningKey(id(name)).compressedPublicKey;
}

/** Returns a private key in the form that wallets import. */
function wif(key: SigningKey): string {
  const payload = Buffer.concat([Buffer.of(0xef), getBytes(key.privateKey), Buffer.of(1)]);
  const checksum = getBytes(sha256(sha256(payload))).subarray(0, 4);
  return encodeBase58(Buffer.concat([payload, checksum]));
}

/** A node on a local network whose bridge follows a Bitcoin node, and the holders of its federation's keys. */
export class Peg {
  /** Members of the active federation. */
  federators: readonly BridgeUser[];
  /** Hashes of the blocks in the bridge's best chain, by height. */
  private readonly delivered: string[] = [];

  protected constructor(
    readonly bitcoin: BitcoinNode,
    readonly node: RunningNode,
    readonly rpc: RpcClient,
    protected readonly folder: string,
    federators = GENESIS_FEDERATORS,
  ) {
    this.federators = federators.map((name) => this.user(name));
  }

  /** Writes the files that a node needs: its network and the configuration of its JSON-RPC. Returns flags. */
  protected static files(folder: string, bridgeConfig: object): string[] {
    const network = join(folder, "network.json");
    writeFileSync(network, JSON.stringify({ extends: "local", bridge: bridgeConfig }));
    const rpcConfig = join(folder, "rpc.json");
    // Reports on the bridge need its cells.
    writeFileSync(rpcConfig, JSON.stringify({ timeout: 300_000, modules: { chain: { disabledMethods: [] } } }));
    return ["--network", network, "--rpc.config", rpcConfig];
  }

  /** `bridgeConfig` replaces parts of the local network's configuration of the bridge. */
  static async start(bitcoin: BitcoinNode, bridgeConfig: object = {}): Promise<Peg> {
    const folder = mkdtempSync(join(tmpdir(), "cambium-peg-"));
    const node = await startNode(...Peg.files(folder, bridgeConfig), "--data-dir", folder, "--mine");
    const peg = new Peg(bitcoin, node, new RpcClient(node.url), folder);
    await peg.fund(...peg.federators.map(({ address }) => address));
    await peg.prepare();
    return peg;
  }

  /** Mines parent blocks that the bridge needs from the beginning. */
  private async prepare(): Promise<void> {
    const missing = INDEX_HEIGHT - (await this.bitcoin.call("getblockcount"));
    if (missing > 0) await this.generate(missing);
    await this.follow();
  }

  async stop(): Promise<void> {
    assert.equal(await this.node.stop(), 0);
    rmSync(this.folder, { recursive: true });
  }

  /** A report of `node-cli bridge`. */
  async report(name: string): Promise<Json> {
    const args = ["--network", join(this.folder, "network.json"), "--rpc", this.node.url, "--json"];
    const { stdout, stderr } = await runCli("bridge", name, ...args);
    assert.notEqual(stdout, "", stderr);
    return JSON.parse(stdout);
  }

  /** The report of `node-cli bridge audit`. */
  async audit(): Promise<Json> {
    const network = join(this.folder, "network.json");
    const args = ["--network", network, "--rpc", this.node.url, "--parent", this.bitcoin.url, "--json"];
    const { status, stdout, stderr } = await runCli("bridge", "audit", ...args);
    assert.notEqual(stdout, "", stderr);
    const report = JSON.parse(stdout);
    assert.equal(status, report.differences.length === 0 ? 0 : 1, stdout);
    return report;
  }

  /** Starts `node-cli bridge watch`, which ends with the test's node at the latest. */
  watch(): Watch {
    const network = join(this.folder, "network.json");
    const args = ["--network", network, "--rpc", this.node.url, "--parent", this.bitcoin.url, "--interval", "20"];
    return new Watch(this, spawnCli("bridge", "watch", ...args, "--json"));
  }

  /**
   * Checks that coins on this chain and locked coins are equal, and that the Bitcoin node has the coins that the bridge
   * counts.
   */
  async isSolvent(): Promise<void> {
    const report = await this.audit();
    assert.deepEqual([report.differences, report.difference], [[], "0"], JSON.stringify(report, undefined, 2));
  }

  /** Full runs check after every step. */
  private async step(): Promise<void> {
    if (atDepth(false, true)) await this.isSolvent();
  }

  get federator(): BridgeUser {
    return this.federators[0]!;
  }

  user(name: string): BridgeUser {
    return new BridgeUser(this.rpc, name);
  }

  /** Sends coins of this chain to accounts that need them for gas. */
  fund(...addresses: string[]): Promise<void> {
    return this.fundWith(10n ** 18n, ...addresses);
  }

  async fundWith(value: bigint, ...addresses: string[]): Promise<void> {
    const rich = new Wallet(DEVELOPERS[0]!.privateKey);
    let nonce = Number(await this.rpc.call("eth_getTransactionCount", rich.address, "latest"));
    for (const to of addresses) {
      const fields = { type: 0, chainId: 33, gasLimit: 21_000, gasPrice: 1_000_000_000, value };
      await this.rpc.call("eth_sendRawTransaction", await rich.signTransaction({ ...fields, nonce: nonce++, to }));
    }
  }

  state(): Promise<BridgeState> {
    return getBridgeState(this.node.url);
  }

  async balance(of: string): Promise<bigint> {
    return BigInt(await this.rpc.call("eth_getBalance", of, "latest"));
  }

  async blockNumber(): Promise<number> {
    return Number(await this.rpc.call("eth_blockNumber"));
  }

  async mineTo(number: number): Promise<void> {
    for (let at = await this.blockNumber(); at < number; at++) await this.rpc.call("evm_mine");
  }

  async succeeds(sending: Promise<Sent>): Promise<LogDescription[]> {
    const { succeeded, events, receipt } = await sending;
    assert.ok(succeeded, `failed: ${receipt.transactionHash}`);
    return events;
  }

  /** Mines parent blocks; the bridge does not get them. */
  async generate(count: number): Promise<string[]> {
    const address = await this.bitcoin.wallet("test", "getnewaddress");
    return this.bitcoin.call("generatetoaddress", count, address);
  }

  /** Sends the bridge the headers of the Bitcoin node's best chain that it lacks. */
  async follow(): Promise<void> {
    if (this.delivered.length === 0) this.delivered.push(await this.bitcoin.call("getblockhash", 0));
    const height: number = await this.bitcoin.call("getblockcount");
    let known = Math.min(this.delivered.length - 1, height);
    while (this.delivered[known] !== (await this.bitcoin.call("getblockhash", known))) known--;
    this.delivered.length = known + 1;
    const headers: Buffer[] = [];
    while (this.delivered.length <= height) {
      const hash: string = await this.bitcoin.call("getblockhash", this.delivered.length);
      headers.push(Buffer.from(await this.bitcoin.call("getblockheader", hash, false), "hex"));
      this.delivered.push(hash);
    }
    for (let i = 0; i < headers.length; i += HEADERS_PER_CALL) {
      const some = headers.slice(i, i + HEADERS_PER_CALL);
      await this.succeeds(this.federator.call("receiveHeaders", [some]));
    }
    await this.hasFollowed(height);
  }

  protected async hasFollowed(height: number): Promise<void> {
    assert.equal(Number(await this.federator.ask("getBtcBlockchainBestChainHeight")), height);
  }

  /**
   * Replaces a block and all above it by the same number of empty blocks, and `more`. The transactions in them wait in
   * the mempool. If `more` is 0, the bridge gets the new blocks, but keeps the earlier ones.
   */
  async reorganise(blockHash: string, more: number): Promise<void> {
    const { height } = await this.bitcoin.call("getblockheader", blockHash);
    const best: number = await this.bitcoin.call("getblockcount");
    const address = await this.bitcoin.wallet("test", "getnewaddress");
    await this.bitcoin.call("invalidateblock", blockHash);
    for (let at = height; at <= best + more; at++) await this.bitcoin.call("generateblock", address, []);
    await this.follow();
  }

  async mine(count: number): Promise<void> {
    await this.generate(count);
    await this.follow();
    await this.step();
  }

  /** The block of the best chain that contains a transaction. */
  async blockOf(txid: string): Promise<string> {
    for (let hash: string = await this.bitcoin.call("getbestblockhash"); ; ) {
      const { tx, previousblockhash } = await this.bitcoin.call("getblock", hash);
      if (tx.includes(txid)) return hash;
      hash = previousblockhash;
    }
  }

  /** Registers a mined transaction with the proof from its block. Returns the bridge's events. */
  async register(txid: string, witness = true): Promise<LogDescription[]> {
    const events = await this.succeeds(this.federator.register(await this.proof(txid, witness)));
    await this.step();
    return events;
  }

  /** Proof of a transaction in the best chain; of its form without witness if `witness` is false. */
  async proof(txid: string, witness = true): Promise<Proof> {
    return proofFor(this.bitcoin, txid, await this.blockOf(txid), witness);
  }

  /**
   * Mines a transaction that waits in the Bitcoin node's mempool, and registers it once it has enough confirmations.
   */
  async confirm(txid: string): Promise<LogDescription[]> {
    await this.mine(CONFIRMATIONS);
    return this.register(txid);
  }

  /**
   * Creates a wallet of the Bitcoin node with one address. `make` composes its descriptor from the private keys of
   * users with these names.
   */
  async wallet(kind: string, make: (...keys: string[]) => string, ...names: string[]): Promise<ParentWallet> {
    const name = `${kind} ${names.join(" ")} ${this.folder}`;
    await this.bitcoin.call("createwallet", name, false, true);
    const plain = make(...names.map((user) => wif(this.user(user).key)));
    const { checksum } = await this.bitcoin.call("getdescriptorinfo", plain);
    const desc = `${plain}#${checksum}`;
    const path = encodeURIComponent(name);
    const [{ success }] = await this.bitcoin.wallet(path, "importdescriptors", [{ desc, timestamp: "now" }]);
    assert.ok(success, `${kind} is not imported`);
    const [address] = await this.bitcoin.call("deriveaddresses", await this.publicDescriptor(plain));
    return new ParentWallet(this.bitcoin, path, address);
  }

  private async publicDescriptor(plain: string): Promise<string> {
    return (await this.bitcoin.call("getdescriptorinfo", plain)).descriptor;
  }

  /** Lets the bridge process its pending work. */
  async update(): Promise<LogDescription[]> {
    const events = await this.succeeds(this.federator.call("updateCollections"));
    await this.step();
    return events;
  }

  /**
   * Waits for the only created transaction's confirmations, lets members sign, and returns the transaction that the
   * bridge then announces.
   */
  async confirmAndSign(by: readonly BridgeUser[], afterEach?: () => Promise<void>): Promise<Transaction> {
    const { pegoutsWaitingForConfirmations: waiting } = await this.state();
    assert.equal(waiting.length, 1);
    await this.mineTo(Number(waiting[0]!.pegoutCreationBlockNumber) + CONFIRMATIONS);
    named(await this.update(), "pegout_confirmed");
    const { rskTxHash, btcRawTx } = (await this.state()).pegoutsWaitingForSignatures[0]!;
    return this.sign(`0x${rskTxHash}`, btcRawTx, by, afterEach);
  }

  /** Lets members sign, in this order; the last of them must complete the transaction. */
  async sign(
    key: string,
    raw: string,
    by: readonly BridgeUser[],
    afterEach?: () => Promise<void>,
  ): Promise<Transaction> {
    const unsigned = Transaction.fromHex(raw);
    const values = await Promise.all(unsigned.ins.map((input) => this.spentValue(input)));
    for (const [position, member] of by.entries()) {
      const signatures = unsigned.ins.map((_, i) => signInput(unsigned, i, values[i]!, member.key));
      const call = member.call("addSignature", [member.compressedKey, signatures, key]);
      const events = await this.succeeds(call);
      named(events, "add_signature");
      const released = events.find(({ name }) => name === "release_btc");
      assert.equal(released !== undefined, position === by.length - 1, "complete with the last signature");
      await this.step();
      await afterEach?.();
      if (released !== undefined) return Transaction.fromBuffer(Buffer.from(getBytes(released.args.btcRawTransaction)));
    }
    throw new Error("no signers");
  }

  /** Satoshi of the unspent output that an input spends, according to the Bitcoin node. */
  private async spentValue({ hash, index }: Transaction["ins"][number]): Promise<number> {
    const txid = Buffer.from(hash).reverse().toString("hex");
    const output = await this.bitcoin.call("gettxout", txid, index);
    assert.ok(output !== null, `${txid}:${index} is spent or unknown`);
    return Math.round(output.value * COIN);
  }

  /** Whether the Bitcoin node's mempool would accept a transaction; its reason if not. */
  async verdict(transaction: Transaction): Promise<string> {
    const [answer] = await this.bitcoin.call("testmempoolaccept", [transaction.toHex()]);
    return answer.allowed ? "accepted" : answer["reject-reason"];
  }

  /**
   * Sends a transaction, mines it, and registers it. It must pass the Bitcoin node's mempool and its block rules. A
   * transaction with another expected verdict of the mempool is mined without being sent.
   */
  async broadcast(transaction: Transaction, verdict = ACCEPTED): Promise<LogDescription[]> {
    assert.match(await this.verdict(transaction), verdict);
    if (verdict === ACCEPTED) await this.bitcoin.call("sendrawtransaction", transaction.toHex());
    else await this.mineRaw(transaction);
    return this.confirm(transaction.getId());
  }

  /** Mines a transaction in a block, bypassing the rules of the mempool. */
  async mineRaw(transaction: Transaction): Promise<void> {
    const address = await this.bitcoin.wallet("test", "getnewaddress");
    await this.bitcoin.call("generateblock", address, [transaction.toHex()]);
  }

  /** Requests a peg-out. */
  async requestPegOut(by: BridgeUser, satoshi: number): Promise<void> {
    const value = BigInt(satoshi) * WEI_PER_SATOSHI;
    const events = await this.succeeds(by.send({ to: bridge.address, value, gasLimit: 100_000 }));
    named(events, "release_request_received");
    await this.step();
  }

  /** Waits for the block in which queued requests are paid, and triggers the payment. */
  async createBatch(): Promise<void> {
    await this.mineTo((await this.state()).nextPegoutCreationBlockNumber);
    named(await this.update(), "batch_pegout_created");
  }
}

/** The output of `node-cli bridge watch`. */
export class Watch {
  private output = "";
  private readonly ended: Promise<number | null>;

  constructor(
    private readonly peg: Peg,
    private readonly process: ChildProcess,
  ) {
    for (const stream of [process.stdout!, process.stderr!]) stream.on("data", (chunk) => (this.output += chunk));
    this.ended = new Promise((resolve) => process.on("close", resolve));
  }

  /** The line about the present blocks of both chains. */
  async now(): Promise<Json> {
    const number = await this.peg.blockNumber();
    const height: number = await this.peg.bitcoin.call("getblockcount");
    for (;;) {
      assert.equal(this.process.exitCode, null, this.output);
      const line = this.output
        .slice(0, this.output.lastIndexOf("\n") + 1)
        .split("\n")
        .at(-2);
      const watched = line === undefined ? undefined : JSON.parse(line);
      if (watched?.block.number === number && watched.parentChain.nodeHeight === height) return watched;
      await sleep(20);
    }
  }

  /** Returns the exit status. */
  stop(): Promise<number | null> {
    this.process.kill("SIGINT");
    return this.ended;
  }
}

/** One output of a payment: an address and satoshi, or data. */
export type Payment = readonly [address: string, satoshi: number] | readonly [data: Buffer];

/** A wallet of the Bitcoin node that holds the private keys of one address. */
export class ParentWallet {
  constructor(
    private readonly bitcoin: BitcoinNode,
    private readonly path: string,
    readonly address: string,
  ) {}

  /** Pays from coins at the address, to which the change returns as the last output. Returns the transaction's id. */
  async pay(...payments: readonly Payment[]): Promise<string> {
    const outputs = payments.map(([to, satoshi]) =>
      satoshi === undefined ? { data: (to as Buffer).toString("hex") } : { [to as string]: btc(satoshi) },
    );
    // Otherwise, wallets choose the present height as lock time, and a reorganisation to a lower one drops the
    // transaction.
    const form = { change_address: this.address, change_position: outputs.length, locktime: 0 };
    const options = { ...form, fee_rate: 10 };
    const answer = await this.bitcoin.wallet(this.path, "send", outputs, null, "unset", null, options);
    assert.ok(answer.complete, JSON.stringify(answer));
    return answer.txid;
  }

  /** A payment from the wallet to its own address that spends given coins. */
  async sign(coins: Transaction["ins"], value: number): Promise<Transaction> {
    const inputs = coins.map(({ hash, index }) => ({ txid: Buffer.from(hash).reverse().toString("hex"), vout: index }));
    const raw = await this.bitcoin.call("createrawtransaction", inputs, [{ [this.address]: btc(value) }]);
    const { hex } = await this.bitcoin.wallet(this.path, "signrawtransactionwithwallet", raw);
    return Transaction.fromHex(hex);
  }

  /** Gets coins from the miner's wallet, in a block. */
  async fill(satoshi: number): Promise<void> {
    await this.bitcoin.wallet("test", "sendtoaddress", this.address, btc(satoshi));
    await this.bitcoin.call("generatetoaddress", 1, await this.bitcoin.wallet("test", "getnewaddress"));
  }

  /** Returns the satoshi that the wallet received in a mined transaction. */
  async received(txid: string): Promise<number> {
    const { amount, confirmations } = await this.bitcoin.wallet(this.path, "gettransaction", txid);
    assert.ok(confirmations > 0);
    return Math.round(amount * COIN);
  }
}
