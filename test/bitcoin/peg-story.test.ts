import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCli, spawnCli } from "@cambium/test-utils/node-cli";
import { bestOf, nodeFolder, type PeerNode, startPeerNode } from "@cambium/test-utils/peers/peer-nodes";
import { until } from "@cambium/test-utils/rpc-client";
import { decodeRlp, type LogDescription } from "ethers";
import { BridgeUser } from "../e2e/bridge-user.js";
import { BITCOIND, BitcoinNode } from "./bitcoin-node.js";
import { COIN, CONFIRMATIONS, INDEX_HEIGHT, type ParentWallet, Peg, publicKey } from "./peg.js";

/** Size of the story; `PEG_STORY=full` runs all of it. */
const SIZE =
  process.env.PEG_STORY === "full"
    ? { pegIns: 50, pegOuts: 50, changes: 2, reorganisations: 10, parentBlocks: 500 }
    : { pegIns: 6, pegOuts: 4, changes: 1, reorganisations: 2, parentBlocks: 0 };
const PATIENCE = 60 * 60_000;
/** Milliseconds between two solutions of a miner. */
const MINING_INTERVAL = 400;
const VOTERS = ["auth-a", "auth-b", "auth-c"];
const USERS = ["user-a", "user-b", "user-c", "user-d", "user-e"];
const ACTIVATION_AGE = 60;
/** Blocks from a federation's activation to the migration of its coins. */
const MIGRATION_AGE = 16;

/** Returns four names of members of a federation. */
function members(federation: number): string[] {
  return ["a", "b", "c", "d"].map((name) => `member ${federation} ${name}`);
}

/** The peg on three nodes, with two miners that mine both chains. */
class MinedPeg extends Peg {
  private readonly miners: { process: ChildProcess; output: string; ended: Promise<number | null> }[] = [];
  nodes: readonly PeerNode[] = [];

  static async begin(bitcoin: BitcoinNode): Promise<MinedPeg> {
    const folder = mkdtempSync(join(tmpdir(), "cambium-peg-"));
    const flags = Peg.files(folder, {
      genesisFederation: { publicKeys: members(0).map(publicKey) },
      federationActivationAge: { rskip419: ACTIVATION_AGE },
    });
    const nodes: PeerNode[] = [];
    for (let index = 0; index < 3; index++) {
      const known = nodes.map(({ address }) => address);
      nodes.push(await startPeerNode(nodeFolder(folder, index), known, ...flags));
    }
    const [{ node, rpc }] = nodes as [PeerNode];
    const peg = new MinedPeg(bitcoin, node, rpc, folder, members(0));
    peg.nodes = nodes;
    const address = await bitcoin.wallet("test", "getnewaddress");
    await bitcoin.call("generatetoaddress", INDEX_HEIGHT, address);
    for (const { node } of nodes.slice(1)) peg.startMiner(node.url, address);
    return peg;
  }

  private startMiner(url: string, payout: string): void {
    const interval = `${MINING_INTERVAL}`;
    const args = ["--rpc", url, "--parent", this.bitcoin.url, "--payout", payout, "--interval", interval];
    const process = spawnCli("miner", ...args, "--count", "1000000");
    const ended = new Promise<number | null>((resolve) => process.on("close", resolve));
    const miner = { process, output: "", ended };
    for (const stream of [process.stdout!, process.stderr!]) stream.on("data", (chunk) => (miner.output += chunk));
    this.miners.push(miner);
  }

  /** Ends the miners, which fail if a node refused a solution. */
  async stopMiners(): Promise<void> {
    for (const { process, ended, output } of this.miners.splice(0)) {
      process.kill("SIGINT");
      assert.equal(await ended, 0, output.slice(-2000));
    }
  }

  override async stop(): Promise<void> {
    for (const { process } of this.miners) process.kill("SIGKILL");
    for (const { node } of this.nodes) assert.equal(await node.stop(), 0);
    for (const index of this.nodes.keys()) {
      const data = ["--network", join(this.folder, "network.json"), "--data-dir", nodeFolder(this.folder, index)];
      const { status, stdout, stderr } = await runCli("db", "check", "--deep", ...data);
      assert.equal(status, 0, stdout + stderr);
    }
    rmSync(this.folder, { recursive: true });
  }

  override user(name: string): BridgeUser {
    return new BridgeUser(this.rpc, name, 1);
  }

  height(): Promise<number> {
    return this.bitcoin.call("getblockcount");
  }

  override async mineTo(number: number): Promise<void> {
    await until(async () => (await this.blockNumber()) >= number, PATIENCE);
  }

  override async fundWith(value: bigint, ...addresses: string[]): Promise<void> {
    await super.fundWith(value, ...addresses);
    await until(async () => (await this.balance(addresses.at(-1)!)) > 0n, PATIENCE);
  }

  /** Does nothing, because both chains continue in the meantime. */
  protected override async hasFollowed(): Promise<void> {}

  /** Replaces the last parent blocks, and waits until the miners have mined their transactions again. */
  async replace(depth: number): Promise<void> {
    const height = await this.height();
    await this.bitcoin.call("invalidateblock", await this.bitcoin.call("getblockhash", height - depth + 1));
    await until(async () => (await this.height()) > height && (await this.isMempoolEmpty()), PATIENCE);
    await this.follow();
  }

  private async isMempoolEmpty(): Promise<boolean> {
    return (await this.bitcoin.call("getmempoolinfo")).size === 0;
  }

  /** Waits until the bridge has processed a transaction. */
  override async confirm(txid: string): Promise<LogDescription[]> {
    for (;;) {
      await until(() => this.isMempoolEmpty(), PATIENCE);
      const mined = await this.height();
      await until(async () => (await this.height()) >= mined + CONFIRMATIONS - 1, PATIENCE);
      await this.follow();
      const events = await this.register(txid);
      if (await this.federator.ask("isBtcTxHashAlreadyProcessed", [txid])) return events;
    }
  }

  /** Lets enough members sign all releases, in any order, and has them mined and registered. */
  async settle(): Promise<void> {
    for (;;) {
      const { pegoutsWaitingForConfirmations: waiting, pegoutsWaitingForSignatures: unsigned } = await this.state();
      for (const { rskTxHash, btcRawTx } of unsigned) await this.release(`0x${rskTxHash}`, btcRawTx);
      if (waiting.length > 0) {
        await this.mineTo(Math.min(...waiting.map((one) => Number(one.pegoutCreationBlockNumber))) + CONFIRMATIONS);
        await this.update();
      } else if (unsigned.length === 0) return;
    }
  }

  async release(key: string, raw: string): Promise<void> {
    const names = [0, 1, 2].flatMap(members).filter((name) => raw.includes(publicKey(name).slice(2)));
    const order = names.map((name) => this.user(name)).sort(() => Math.random() - 0.5);
    await this.broadcast(await this.sign(key, raw, order.slice(0, 3)));
  }
}

describe("a story of the peg on three nodes with two miners", function () {
  this.timeout(PATIENCE);
  if (BITCOIND === undefined) {
    it.skip("needs a Bitcoin node: set CAMBIUM_BITCOIND to the command that runs it");
    return;
  }
  let bitcoin: BitcoinNode;
  let peg: MinedPeg;
  let users: BridgeUser[];
  const wallets: ParentWallet[] = [];
  const rounds = SIZE.changes + 1;
  const share = (total: number, round: number) =>
    Math.floor((total * (round + 1)) / rounds) - Math.floor((total * round) / rounds);

  before(async () => {
    bitcoin = await BitcoinNode.start();
    peg = await MinedPeg.begin(bitcoin);
    users = USERS.map((name) => peg.user(name));
    for (const name of USERS) {
      const wallet = await peg.wallet("pkh", (key) => `pkh(${key})`, name);
      await wallet.fill(10 * COIN);
      wallets.push(wallet);
    }
    const names = [0, 1, 2].flatMap(members);
    await peg.fund(...[...names, ...VOTERS].map((name) => peg.user(name).address));
    await peg.follow();
  });

  after(() => bitcoin.stop());

  for (let round = 0; round < rounds; round++) {
    it(`pegs in and out over reorganisations, in round ${round + 1}`, async () => {
      const address = await peg.federator.ask("getFederationAddress");
      const paid: string[] = [];
      for (let i = 0; i < share(SIZE.pegIns, round); i++) {
        paid.push(await wallets[i % wallets.length]!.pay([address, COIN / 20 + 7 * i]));
      }
      const replacements = share(SIZE.reorganisations, round);
      // Some replacements come before the transactions have enough confirmations, some after.
      for (let i = 0; i < Math.ceil(replacements / 2); i++) await peg.replace(1 + (i % CONFIRMATIONS));
      for (const txid of paid) await peg.confirm(txid);
      for (let i = 0; i < Math.floor(replacements / 2); i++) await peg.replace(CONFIRMATIONS + 1 + i);
      for (let i = 0; i < share(SIZE.pegOuts, round); i++) {
        await peg.requestPegOut(users[i % users.length]!, COIN / 50 + 11 * i);
      }
      await peg.createBatch();
      await peg.settle();
      assert.deepEqual((await peg.state()).pegoutRequests, []);
    });

    if (round < SIZE.changes) it(`hands the coins to federation ${round + 2}`, () => change(round + 1));
  }

  async function change(federation: number): Promise<void> {
    const successors = members(federation).map((name) => peg.user(name));
    const vote = async (method: string, ...args: unknown[]) => {
      for (const name of VOTERS) await peg.succeeds(peg.user(name).call(method, args));
    };
    await vote("createFederation");
    for (const { compressedKey: key } of successors) await vote("addFederatorPublicKeyMultikey", key, key, key);
    await vote("commitFederation", await peg.federator.ask("getPendingFederationHash"));
    const created = Number(await peg.federator.ask("getProposedFederationCreationBlockNumber"));
    await peg.update();
    await peg.settle();
    await peg.update();
    const [[key, raw]] = decodeRlp(await peg.federator.ask("getStateForSvpClient")) as [[string, string]];
    await peg.release(key, raw.slice(2));
    assert.equal(await peg.federator.ask("getProposedFederationSize"), -1n);
    await peg.mineTo(created + ACTIVATION_AGE + MIGRATION_AGE);
    peg.federators = successors;
    do {
      await peg.update();
      await peg.settle();
    } while ((await peg.report("state")).coins.retiring?.count > 0);
  }

  it("ends with equal coins on both sides, and with the same chain on all nodes", async () => {
    await until(async () => (await peg.height()) >= INDEX_HEIGHT + SIZE.parentBlocks, PATIENCE);
    await peg.stopMiners();
    await until(async () => new Set((await Promise.all(peg.nodes.map(bestOf))).map(({ hash }) => hash)).size === 1);
    await peg.isSolvent();
    await peg.stop();
  });
});
