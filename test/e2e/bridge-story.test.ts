import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atDepth } from "@cambium/test-utils/depth";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { type RunningNode, runCli, startNode } from "@cambium/test-utils/node-cli";
import { RpcClient } from "@cambium/test-utils/rpc-client";
import { type BridgeState, getBridgeState } from "@rsksmart/bridge-state-data-parser";
import { bridge } from "@rsksmart/rsk-precompiled-abis";
import { address, crypto as hashes, networks, payments, script as scripts, Transaction } from "bitcoinjs-lib";
import { decodeRlp, getBytes, getCreateAddress, id, keccak256, type LogDescription, Wallet } from "ethers";
import { BridgeUser, type Sent } from "./bridge-user.js";
import { ParentChain, type Proof } from "./parent-chain.js";
import { checkInput, signInput } from "./script-check.js";

const COIN = 100_000_000;
const BRIDGE: string = bridge.address;
const WEI_PER_SATOSHI = 10n ** 10n;
const NETWORK = networks.regtest;
/** Code that forwards its call data to the bridge and returns the bridge's output. */
const FORWARDER = "0x60218060093d393df336600060003760006000366000600063010000065af1503d600060003e3d6000f3";

function buffer(hex: string): Buffer {
  return Buffer.from(getBytes(hex));
}

/** A payment that spends an unknown output; the bridge does not check its signature. */
function payment(by: BridgeUser, outputs: readonly (readonly [Buffer, number])[]): Transaction {
  const transaction = new Transaction();
  const previous = buffer(keccak256(Buffer.concat(outputs.map(([script]) => script))));
  const signature = Buffer.alloc(71, 0x30);
  transaction.addInput(previous, 0, undefined, scripts.compile([signature, buffer(by.compressedKey)]));
  for (const [script, value] of outputs) transaction.addOutput(script, value);
  return transaction;
}

/** Peg-in instructions of version 1, which name the receiver on this chain. */
function instructions(receiver: string): Buffer {
  return payments.embed({ data: [Buffer.concat([Buffer.from("RSKT\x01", "latin1"), buffer(receiver)])] }).output!;
}

function names(events: readonly LogDescription[]): string[] {
  return events.map(({ name }) => name);
}

function named(events: readonly LogDescription[], name: string): LogDescription {
  const found = events.find((event) => event.name === name);
  assert.ok(found, `no ${name} among ${names(events)}`);
  return found;
}

/** Forms of the first federation's script: plain multisig, with emergency keys, the latter as a witness script. */
for (const format of atDepth([4000], [1000, 3000, 4000])) {
  describe(`the peg from a federation of form ${format} to the next, without a parent-chain node`, () => story(format));
}

/** The life of a peg on one node; each step continues from the previous one. */
function story(format: number): void {
  let folder: string;
  let network: string;
  let node: RunningNode;
  let rpc: RpcClient;
  let parent: ParentChain;
  let forwarder: string;
  let federators: BridgeUser[];
  let successors: BridgeUser[];
  let user: BridgeUser;
  /** Block of the next federation's creation. */
  let created: number;

  const federator = () => federators[0]!;
  const state = (): Promise<BridgeState> => getBridgeState(node.url);
  const blockNumber = async () => Number(await rpc.call("eth_blockNumber"));
  const balance = async (of: string) => BigInt(await rpc.call("eth_getBalance", of, "latest"));

  async function mineTo(number: number): Promise<void> {
    for (let at = await blockNumber(); at < number; at++) await rpc.call("evm_mine");
  }

  async function federationScript(): Promise<Buffer> {
    return address.toOutputScript(await federator().ask("getFederationAddress"), NETWORK);
  }

  async function succeeds(sending: Promise<Sent>): Promise<LogDescription[]> {
    const { succeeded, events, receipt } = await sending;
    assert.ok(succeeded, `failed: ${receipt.transactionHash}`);
    return events;
  }

  const register = async (proof: Proof, by = federator()) => succeeds(by.register(proof));
  const update = (by = federator()) => succeeds(by.call("updateCollections"));

  /** Lets members sign. Returns the transaction that the bridge then announces, after checking all its inputs. */
  async function sign(key: string, raw: string, by: readonly BridgeUser[]): Promise<Transaction> {
    const unsigned = Transaction.fromHex(raw);
    let released: LogDescription | undefined;
    for (const member of by) {
      const signatures = unsigned.ins.map((input, i) => signInput(unsigned, i, parent.spent(input)!.value, member.key));
      const events = await succeeds(member.call("addSignature", [member.compressedKey, signatures, key]));
      named(events, "add_signature");
      released = events.find(({ name }) => name === "release_btc");
    }
    assert.ok(released, "not enough signatures");
    const signed = Transaction.fromBuffer(buffer(released.args.btcRawTransaction));
    assert.equal(signed.getId() === unsigned.getId(), signed.hasWitnesses(), "signing by witness alone leaves the id");
    const altered = signed.clone();
    altered.outs[0]!.value++;
    for (const [i, input] of signed.ins.entries()) {
      checkInput(signed, i, parent.spent(input)!);
      assert.throws(() => checkInput(unsigned, i, parent.spent(input)!), "without signatures");
      assert.throws(() => checkInput(altered, i, parent.spent(input)!), "signed for another payment");
    }
    const paidIn = signed.ins.reduce((sum, input) => sum + parent.spent(input)!.value, 0);
    assert.ok(signed.outs.reduce((sum, { value }) => sum + value, 0) < paidIn);
    return signed;
  }

  /** Confirms and signs the only waiting transaction. */
  async function confirmAndSign(by: readonly BridgeUser[] = federators.slice(0, 2)): Promise<Transaction> {
    const { pegoutsWaitingForConfirmations: waiting } = await state();
    assert.equal(waiting.length, 1);
    await mineTo(Number(waiting[0]!.pegoutCreationBlockNumber) + 3);
    named(await update(by[0]), "pegout_confirmed");
    const { pegoutsWaitingForSignatures } = await state();
    assert.equal(pegoutsWaitingForSignatures.length, 1);
    const { rskTxHash, btcRawTx } = pegoutsWaitingForSignatures[0]!;
    assert.equal(btcRawTx, waiting[0]!.btcRawTx);
    const signed = await sign(`0x${rskTxHash}`, btcRawTx, by);
    assert.deepEqual((await state()).pegoutsWaitingForSignatures, []);
    return signed;
  }

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-e2e-"));
    network = join(folder, "network.json");
    writeFileSync(network, JSON.stringify({ extends: "local", bridge: { genesisFederation: { format } } }));
    node = await startNode("--network", network, "--data-dir", folder, "--mine");
    rpc = new RpcClient(node.url);
    const named = (...list: string[]) => list.map((name) => new BridgeUser(rpc, name));
    federators = named("federator1", "federator2", "federator3");
    successors = named("successor1", "successor2", "successor3", "successor4");
    [user] = named("user") as [BridgeUser];
    const rich = new Wallet(DEVELOPERS[0]!.privateKey);
    const sources = [...federators, ...successors, ...named("auth-a", "auth-b", "auth-c", "deployer")];
    for (const [nonce, { address: to }] of sources.entries()) {
      const fields = { type: 0, chainId: 33, gasLimit: 21_000, gasPrice: 1_000_000_000, value: 10n ** 18n };
      await rpc.call("eth_sendRawTransaction", await rich.signTransaction({ ...fields, nonce, to }));
    }
    const deployer = sources.at(-1)!;
    forwarder = getCreateAddress({ from: deployer.address, nonce: 0 });
    await succeeds(deployer.send({ data: FORWARDER }));
    parent = new ParentChain(buffer(await federator().ask("getBtcBlockchainBestBlockHeader")), (headers) =>
      succeeds(federator().call("receiveHeaders", [headers])),
    );
  });

  after(async () => {
    assert.equal(await node.stop(), 0);
    rmSync(folder, { recursive: true });
  });

  it("follows the parent chain", async () => {
    await parent.mine(350);
    assert.equal(Number(await federator().ask("getBtcBlockchainBestChainHeight")), 350);
  });

  it("credits a peg-in to its sender", async () => {
    const paid = payment(user, [[await federationScript(), COIN]]);
    const { args } = named(await register(await parent.include(paid)), "pegin_btc");
    assert.deepEqual([args.receiver, args.btcTxHash], [user.address, `0x${paid.getId()}`]);
    assert.equal(await balance(user.address), BigInt(COIN) * WEI_PER_SATOSHI);
    assert.equal((await state()).activeFederationUtxos.length, 1);
  });

  it("credits a peg-in to the receiver in its instructions", async () => {
    const receiver = new BridgeUser(rpc, "receiver").address;
    const outputs = [
      [await federationScript(), COIN / 2],
      [instructions(receiver), 0],
    ] as const;
    const { args } = named(await register(await parent.include(payment(user, outputs))), "pegin_btc");
    assert.deepEqual([args.receiver, args.protocolVersion], [receiver, 1n]);
    assert.equal(await balance(receiver), BigInt(COIN / 2) * WEI_PER_SATOSHI);
  });

  it("accepts a flyover peg-in for a contract", async () => {
    const redeem = buffer(await federator().ask("getActivePowpegRedeemScript"));
    const details = id("details");
    const refund = Buffer.concat([Buffer.of(NETWORK.pubKeyHash), hashes.hash160(Buffer.from("user"))]);
    const provider = Buffer.concat([Buffer.of(NETWORK.scriptHash), hashes.hash160(Buffer.from("provider"))]);
    const derivation = buffer(keccak256(Buffer.concat([buffer(details), refund, buffer(forwarder), provider])));
    const flyover = Buffer.concat([scripts.compile([derivation, scripts.OPS.OP_DROP!]), redeem]);
    const redemption = { output: flyover };
    const isSegwit = format === 4000;
    const output = payments.p2sh({ redeem: isSegwit ? payments.p2wsh({ redeem: redemption }) : redemption }).output!;
    const { raw, height, tree } = await parent.include(payment(user, [[output, COIN]]));
    const args = [raw, height, tree, details, refund, forwarder, provider, true];
    const wei = BigInt(COIN) * WEI_PER_SATOSHI;
    assert.equal(await federator().ask("registerFastBridgeBtcTransaction", args, forwarder), wei);
    await succeeds(federator().call("registerFastBridgeBtcTransaction", args, forwarder));
    assert.equal(await balance(forwarder), wei);
    assert.equal((await state()).activeFederationUtxos.length, 3);
    assert.equal(await federator().ask("registerFastBridgeBtcTransaction", args, forwarder), -302n);
  });

  it("refunds a peg-in with invalid instructions, and keeps one below the minimum", async () => {
    const wrong = payments.embed({ data: [Buffer.from("RSKT\x01no address", "latin1")] }).output!;
    const refused = payment(user, [
      [await federationScript(), COIN / 4],
      [wrong, 0],
    ]);
    named(await register(await parent.include(refused)), "rejected_pegin");
    const refund = await confirmAndSign();
    assert.equal(refund.ins.length, 1);
    assert.deepEqual(refund.ins[0]!.hash, refused.getHash());
    const own = payments.p2pkh({ pubkey: buffer(user.compressedKey) }).output!;
    assert.deepEqual(
      refund.outs.map(({ script }) => script),
      [own],
    );
    const little = payment(user, [[await federationScript(), 499_999]]);
    assert.deepEqual(names(await register(await parent.include(little))), ["rejected_pegin", "unrefundable_pegin"]);
    assert.equal((await state()).activeFederationUtxos.length, 3);
  });

  it("pays peg-outs in one transaction that spends coins of every kind", async () => {
    const other = federators[1]!;
    const requests = [
      [user, 90_000_000n],
      [other, 80_000_000n],
      [user, 50_000_000n],
    ] as const;
    const reserve = 100_000_000n * WEI_PER_SATOSHI;
    const rich = new Wallet(DEVELOPERS[0]!.privateKey);
    for (const to of [user.address, other.address]) {
      const nonce = Number(await rpc.call("eth_getTransactionCount", rich.address, "latest"));
      const fields = { type: 0, chainId: 33, gasLimit: 21_000, gasPrice: 1_000_000_000, nonce };
      await rpc.call("eth_sendRawTransaction", await rich.signTransaction({ ...fields, to, value: reserve }));
    }
    for (const [by, satoshi] of requests) {
      const events = await succeeds(by.send({ to: BRIDGE, value: satoshi * WEI_PER_SATOSHI, gasLimit: 100_000 }));
      assert.deepEqual(names(events), ["release_request_received"]);
    }
    const { pegoutRequests, nextPegoutCreationBlockNumber } = await state();
    assert.deepEqual(
      pegoutRequests.map(({ amountInSatoshis }) => BigInt(amountInSatoshis)),
      requests.map(([, satoshi]) => satoshi),
    );
    await mineTo(nextPegoutCreationBlockNumber);
    named(await update(), "batch_pegout_created");
    assert.deepEqual((await state()).pegoutRequests, []);
    const signed = await confirmAndSign([federators[2]!, federators[0]!]);
    assert.equal(signed.outs.length, 4);
    assert.equal(signed.ins.length, 3);
    for (const [i, [by, satoshi]] of requests.entries()) {
      const { script, value } = signed.outs[i]!;
      assert.deepEqual(script, payments.p2pkh({ pubkey: buffer(by.compressedKey) }).output);
      assert.ok(BigInt(value) < satoshi && BigInt(value) > (satoshi * 9n) / 10n, "less its share of the fee");
    }
    assert.deepEqual(signed.outs[3]!.script, await federationScript());
    await register(await parent.include(signed));
    const coins = (await state()).activeFederationUtxos;
    assert.ok(coins.some(({ valueInSatoshis }) => valueInSatoshis === signed.outs[3]!.value));
  });

  it("votes for the next federation", async () => {
    const voters = ["auth-a", "auth-b", "auth-c"].map((name) => new BridgeUser(rpc, name));
    const vote = async (method: string, ...args: unknown[]) => {
      const events: string[] = [];
      for (const voter of voters) events.push(...names(await succeeds(voter.call(method, args))));
      return events;
    };
    await vote("createFederation");
    assert.equal(await federator().ask("getPendingFederationSize"), 0n);
    for (const { compressedKey: key } of successors) await vote("addFederatorPublicKeyMultikey", key, key, key);
    assert.equal(await federator().ask("getPendingFederationSize"), 4n);
    const committed = await vote("commitFederation", await federator().ask("getPendingFederationHash"));
    assert.deepEqual(committed, ["commit_federation"]);
    assert.equal(await federator().ask("getProposedFederationSize"), 4n);
  });

  it("lets the next federation prove that it can sign", async () => {
    await update();
    const proposed = address.toOutputScript(await federator().ask("getProposedFederationAddress"), NETWORK);
    const fund = await confirmAndSign();
    assert.deepEqual(fund.outs[0]!.script, proposed);
    await register(await parent.include(fund));
    await update();
    const [[key, raw]] = decodeRlp(await federator().ask("getStateForSvpClient")) as [[string, string]];
    const spend = await sign(key, raw.slice(2), successors.slice(1));
    assert.equal(spend.ins.length, 2);
    created = Number(await federator().ask("getProposedFederationCreationBlockNumber"));
    await register(await parent.include(spend));
    assert.equal(await federator().ask("getProposedFederationSize"), -1n);
  });

  it("moves the coins to the next federation once it is active", async () => {
    const old = await federationScript();
    const activation = created + 150;
    await mineTo(activation - 1);
    assert.deepEqual(await federationScript(), old);
    await mineTo(activation);
    const active = await federationScript();
    assert.notDeepEqual(active, old);
    assert.deepEqual(address.toOutputScript(await federator().ask("getRetiringFederationAddress"), NETWORK), old);
    assert.deepEqual((await state()).activeFederationUtxos, []);
    await mineTo(activation + 16);
    await update();
    const migration = await confirmAndSign(federators.slice(1));
    assert.deepEqual(
      migration.outs.map(({ script }) => script),
      [active],
    );
    await register(await parent.include(migration), successors[0]!);
    assert.deepEqual(
      (await state()).activeFederationUtxos.map(({ valueInSatoshis }) => valueInSatoshis),
      [migration.outs[0]!.value],
    );
  });

  it("pays peg-outs from the next federation", async () => {
    await succeeds(user.send({ to: BRIDGE, value: 20_000_000n * WEI_PER_SATOSHI, gasLimit: 100_000 }));
    await mineTo((await state()).nextPegoutCreationBlockNumber);
    named(await update(successors[0]!), "batch_pegout_created");
    const signed = await confirmAndSign(successors.slice(0, 3));
    assert.deepEqual(signed.outs.at(-1)!.script, await federationScript());
  });

  it("is reported by the command line", async () => {
    const report = async (part: string) => {
      const { stdout } = await runCli("bridge", part, "--network", network, "--data-dir", folder, "--json");
      return JSON.parse(stdout);
    };
    await succeeds(user.send({ to: BRIDGE, value: 10_000_000n * WEI_PER_SATOSHI, gasLimit: 100_000 }));
    const seen = await state();
    const addresses = [
      await federator().ask("getFederationAddress"),
      await federator().ask("getRetiringFederationAddress"),
    ];
    assert.equal(await node.stop(), 0);
    const { queued } = await report("pegouts");
    assert.deepEqual(
      queued.map(({ amount }: { amount: string }) => amount),
      seen.pegoutRequests.map(({ amountInSatoshis }) => amountInSatoshis),
    );
    const { active, retiring, proposed } = await report("federation");
    assert.deepEqual([active.address, retiring?.address ?? ""], addresses);
    assert.deepEqual([active.threshold, active.creationBlock, proposed], [3, created, undefined]);
    const { coins, parentChain } = await report("state");
    assert.equal(coins.active.count, seen.activeFederationUtxos.length);
    assert.equal(parentChain.height, parent.height);
  });
}
