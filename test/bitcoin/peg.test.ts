import assert from "node:assert/strict";
import type { Json } from "@cambium/test-utils/rpc-client";
import {
  address as addresses,
  crypto as hashes,
  networks,
  payments,
  script as scripts,
  Transaction,
} from "bitcoinjs-lib";
import { decodeRlp, getBytes, getCreateAddress, id, keccak256 } from "ethers";
import type { BridgeUser } from "../e2e/bridge-user.js";
import { signInput } from "../e2e/script-check.js";
import { BITCOIND, BitcoinNode } from "./bitcoin-node.js";
import { ACCEPTED, COIN, CONFIRMATIONS, named, type ParentWallet, Peg, publicKey, WEI_PER_SATOSHI } from "./peg.js";

const NETWORK = networks.regtest;
/** Code that forwards its call data to the bridge and returns the bridge's output. */
const FORWARDER = "0x60218060093d393df336600060003760006000366000600063010000065af1503d600060003e3d6000f3";
const FORMS = [
  [1000, "multisig"],
  [2000, "the first kind of script with emergency keys"],
  [3000, "the second kind of script with emergency keys"],
  [4000, "a witness script with emergency keys"],
] as const;
/** Parent blocks after which the emergency keys may spend. */
const EMERGENCY_DELAY = 20;
const VOTERS = ["auth-a", "auth-b", "auth-c"];
const EMERGENCY = ["emergency1", "emergency2", "emergency3"];
/** Amount above which flyover peg-ins are refunded. */
const LOCKING_CAP = 40 * COIN;

/** Coins from which peg-ins are paid, and the bridge's verdict on a sender without instructions. */
const SENDERS: readonly (readonly [
  kind: string,
  make: (...keys: string[]) => string,
  outcome: "credited" | "refunded" | "kept",
  ...names: string[],
])[] = [
  ["public-key hash", (key) => `pkh(${key})`, "credited", "user"],
  ["witness key hash in a script hash", (key) => `sh(wpkh(${key}))`, "credited", "user"],
  ["witness key hash", (key) => `wpkh(${key})`, "kept", "user"],
  ["taproot key", (key) => `tr(${key})`, "kept", "user"],
  ["multisig in a script hash", (...keys) => `sh(multi(2,${keys}))`, "refunded", "user", "second", "third"],
  [
    "witness multisig in a script hash",
    (...keys) => `sh(wsh(multi(2,${keys})))`,
    "refunded",
    "user",
    "second",
    "third",
  ],
  ["witness multisig", (...keys) => `wsh(multi(2,${keys}))`, "kept", "user", "second", "third"],
];

/** Instructions of version 1: the receiver on this chain, and where a refund goes. */
function instructions(receiver: string, refundAddress?: string): Buffer {
  const refund =
    refundAddress === undefined
      ? Buffer.alloc(0)
      : Buffer.concat([Buffer.of(1), addresses.fromBase58Check(refundAddress).hash]);
  return Buffer.concat([Buffer.from("RSKT\x01", "latin1"), getBytes(receiver), refund]);
}

/** Returns a member's key in the form of reports. */
function bare({ compressedKey }: BridgeUser): string {
  return compressedKey.slice(2);
}

function buffer(hex: string): Buffer {
  return Buffer.from(getBytes(hex));
}

describe("the peg with a Bitcoin node", function () {
  this.timeout(600_000);
  if (BITCOIND === undefined) {
    it.skip("needs a Bitcoin node: set CAMBIUM_BITCOIND to the command that runs it");
    return;
  }
  let bitcoin: BitcoinNode;

  before(async () => {
    bitcoin = await BitcoinNode.start();
  });

  after(() => bitcoin.stop());

  for (const [format, name] of FORMS)
    describe(`from a federation with ${name} to the next`, () => story(() => bitcoin, format));
  describe("over reorganisations of the Bitcoin chain", () => reorganisations(() => bitcoin));
});

/** The life of a peg; each step continues from the previous one. */
function story(bitcoin: () => BitcoinNode, format: number): void {
  let peg: Peg;
  let user: BridgeUser;
  let plain: ParentWallet;
  let successors: BridgeUser[];
  let created: number;
  let forwarder: string;
  let turn = 0;
  /**
   * The check of the signatures follows ENDIF in the oldest form. It counts as 20 there: more than a mempool allows.
   */
  const verdict = format === 2000 ? /^bad-txns-(nonstandard-inputs|input-scriptcheck-sigops)$/ : ACCEPTED;

  before(async () => {
    peg = await Peg.start(bitcoin(), {
      genesisFederation: { format },
      emergency: { publicKeys: EMERGENCY.map(publicKey), activationDelay: EMERGENCY_DELAY },
      initialLockingCap: String(LOCKING_CAP),
    });
    user = peg.user("user");
    plain = await peg.wallet("pkh", (key) => `pkh(${key})`, "user");
    await plain.fill(10 * COIN);
    successors = ["successor1", "successor2", "successor3", "successor4"].map((name) => peg.user(name));
    const voters = VOTERS.map((name) => peg.user(name));
    await peg.fund(...[...successors, ...voters, user].map(({ address }) => address));
    forwarder = getCreateAddress({ from: user.address, nonce: 0 });
    await peg.succeeds(user.send({ data: FORWARDER }));
  });

  // Full runs check after every step of all.
  afterEach(async () => {
    if (format === 4000) await peg.isSolvent();
  });

  after(() => peg.stop());

  const federationAddress = (): Promise<string> => peg.federator.ask("getFederationAddress");

  /** Returns two of the federators, in a different combination and order each time. */
  function signers(): BridgeUser[] {
    const [a, b, c] = peg.federators as [BridgeUser, BridgeUser, BridgeUser];
    const pairs = [
      [a, b],
      [c, a],
      [b, c],
      [b, a],
      [a, c],
      [c, b],
    ];
    return pairs[turn++ % pairs.length]!;
  }

  for (const [kind, make, outcome, ...names] of SENDERS) {
    let wallet: ParentWallet;

    it(`pays from coins of a ${kind}, which are ${outcome} without instructions`, async () => {
      wallet = await peg.wallet(kind, make, ...names);
      await wallet.fill(3 * COIN);
      const before = await peg.balance(user.address);
      const txid = await wallet.pay([await federationAddress(), COIN]);
      const events = await peg.confirm(txid);
      if (outcome === "credited") {
        const { args } = named(events, "pegin_btc");
        assert.deepEqual([args.receiver, args.amount, args.btcTxHash], [user.address, BigInt(COIN), `0x${txid}`]);
        assert.equal(await peg.balance(user.address), before + BigInt(COIN) * WEI_PER_SATOSHI);
        return;
      }
      named(events, "rejected_pegin");
      assert.equal(await peg.balance(user.address), before);
      if (outcome === "kept") return void named(events, "unrefundable_pegin");
      const refund = await peg.confirmAndSign(signers());
      await peg.broadcast(refund, verdict);
      assert.equal(await wallet.received(refund.getId()), refund.outs[0]!.value);
    });

    it(`credits coins of a ${kind} to the receiver in the instructions`, async () => {
      const receiver = peg.user(`receiver ${kind}`).address;
      const txid = await wallet.pay([await federationAddress(), COIN], [instructions(receiver, plain.address)]);
      const { args } = named(await peg.confirm(txid), "pegin_btc");
      assert.deepEqual([args.receiver, args.amount, args.protocolVersion], [receiver, BigInt(COIN), 1n]);
      assert.equal(await peg.balance(receiver), BigInt(COIN) * WEI_PER_SATOSHI);
    });
  }

  it("rejects a peg-in with witnesses that is proven without them, until it is proven with them", async () => {
    const wallet = await peg.wallet("nested", (key) => `sh(wpkh(${key}))`, "user");
    await wallet.fill(2 * COIN);
    const txid = await wallet.pay([await federationAddress(), COIN]);
    await peg.mine(CONFIRMATIONS);
    named(await peg.register(txid, false), "rejected_pegin");
    named(await peg.register(txid), "pegin_btc");
    assert.deepEqual(await peg.register(txid), []);
  });

  it("refunds a peg-in with invalid instructions to the sender", async () => {
    const txid = await plain.pay([await federationAddress(), COIN], [Buffer.from("RSKT\x01no address", "latin1")]);
    named(await peg.confirm(txid), "rejected_pegin");
    const refund = await peg.confirmAndSign(signers());
    await peg.broadcast(refund, verdict);
    assert.equal(await plain.received(refund.getId()), refund.outs[0]!.value);
  });

  it("keeps a peg-in below the minimum", async () => {
    const events = await peg.confirm(await plain.pay([await federationAddress(), 499_999]));
    assert.deepEqual(
      events.map(({ name }) => name),
      ["rejected_pegin", "unrefundable_pegin"],
    );
  });

  /** Returns the terms of a flyover peg-in for the forwarding contract, and the address at which it is paid. */
  async function flyover(details: string) {
    const redeem = buffer(await peg.federator.ask("getActivePowpegRedeemScript"));
    const refund = addresses.fromBase58Check(plain.address);
    const refundBytes = Buffer.concat([Buffer.of(refund.version), refund.hash]);
    const provider = Buffer.concat([Buffer.of(NETWORK.scriptHash), hashes.hash160(Buffer.from("provider"))]);
    const derivation = keccak256(Buffer.concat([buffer(id(details)), refundBytes, buffer(forwarder), provider]));
    const output = Buffer.concat([scripts.compile([buffer(derivation), scripts.OPS.OP_DROP!]), redeem]);
    const redemption = format === 4000 ? payments.p2wsh({ redeem: { output }, network: NETWORK }) : { output };
    const { address } = payments.p2sh({ redeem: redemption, network: NETWORK });
    return { address: address!, terms: [id(details), refundBytes, forwarder, provider, false] as const };
  }

  async function registerFlyover(txid: string, terms: readonly unknown[]): Promise<bigint> {
    const { raw, height, tree } = await peg.proof(txid, false);
    const args = [raw, height, tree, ...terms];
    const answer = await peg.federator.ask("registerFastBridgeBtcTransaction", args, forwarder);
    await peg.succeeds(peg.federator.call("registerFastBridgeBtcTransaction", args, forwarder));
    return answer;
  }

  it("credits a flyover peg-in to its contract", async () => {
    const { address, terms } = await flyover("details");
    const txid = await plain.pay([address, COIN]);
    await peg.mine(3);
    const wei = BigInt(COIN) * WEI_PER_SATOSHI;
    assert.equal(await registerFlyover(txid, terms), wei);
    assert.equal(await peg.balance(forwarder), wei);
  });

  it("refunds a flyover peg-in beyond the locking cap to the user", async () => {
    await plain.fill(LOCKING_CAP + COIN);
    const { address, terms } = await flyover("more");
    const txid = await plain.pay([address, LOCKING_CAP]);
    await peg.mine(3);
    assert.equal(await registerFlyover(txid, terms), -100n);
    const refund = await peg.confirmAndSign(signers());
    await peg.broadcast(refund, verdict);
    assert.equal(await plain.received(refund.getId()), refund.outs[0]!.value);
  });

  it("pays peg-outs that spend all coins", async () => {
    const coins = (await peg.state()).activeFederationUtxos;
    const total = coins.reduce((sum, { valueInSatoshis }) => sum + valueInSatoshis, 0);
    await peg.requestPegOut(user, COIN);
    await peg.requestPegOut(user, COIN / 2);
    const rest = total - (3 * COIN) / 2 - COIN / 10;
    const rich = peg.user("rich");
    await peg.fundWith(BigInt(rest + COIN) * WEI_PER_SATOSHI, rich.address);
    await peg.requestPegOut(rich, rest);
    await peg.createBatch();
    const signed = await peg.confirmAndSign(signers());
    assert.equal(signed.ins.length, coins.length);
    await peg.broadcast(signed, verdict);
    assert.equal(await plain.received(signed.getId()), signed.outs[0]!.value + signed.outs[1]!.value);
    const left = (await peg.state()).activeFederationUtxos;
    assert.deepEqual(
      left.map(({ valueInSatoshis }) => valueInSatoshis),
      [COIN / 10],
    );
  });

  if (format !== 1000) {
    it("lets the emergency keys spend after the delay, and not before", async () => {
      const redeem = buffer(await peg.federator.ask("getActivePowpegRedeemScript"));
      const address = await federationAddress();
      const txid = await plain.pay([address, COIN]);
      await peg.mine(1);
      const spending = new Transaction();
      spending.version = 2;
      spending.addInput(Buffer.from(txid, "hex").reverse(), 0, EMERGENCY_DELAY);
      spending.addOutput(addresses.toOutputScript(plain.address, NETWORK), COIN - 10_000);
      const unlock = (signatures: Buffer[]) => {
        const items = [Buffer.alloc(0), ...signatures, Buffer.of(1)];
        const program = payments.p2wsh({ redeem: { output: redeem } }).output!;
        if (format === 4000) spending.setWitness(0, [...items, redeem]);
        const pushed = format === 4000 ? [program] : [scripts.OPS.OP_0!, ...signatures, scripts.OPS.OP_1!, redeem];
        spending.setInputScript(0, scripts.compile(pushed));
      };
      unlock([]);
      const members = EMERGENCY.map((name) => peg.user(name)).sort((a, b) =>
        a.compressedKey < b.compressedKey ? -1 : 1,
      );
      const all = Buffer.of(Transaction.SIGHASH_ALL);
      unlock(members.slice(1).map(({ key }) => Buffer.concat([signInput(spending, 0, COIN, key), all])));
      await peg.mine(EMERGENCY_DELAY - 2);
      assert.equal(await peg.verdict(spending), "non-BIP68-final");
      await assert.rejects(peg.mineRaw(spending), /bad-txns-nonfinal/);
      await peg.mine(1);
      const sequence = spending.ins[0]!.sequence;
      spending.ins[0]!.sequence = EMERGENCY_DELAY - 1;
      if (verdict === ACCEPTED) assert.match(await peg.verdict(spending), /^mempool-script-verify-flag-failed/);
      await assert.rejects(peg.mineRaw(spending), /script-verify-flag-failed/);
      spending.ins[0]!.sequence = sequence;
      assert.match(await peg.verdict(spending), verdict);
      await peg.mineRaw(spending);
      assert.equal(await plain.received(spending.getId()), COIN - 10_000);
    });
  }

  it("votes for the next federation", async () => {
    const vote = async (method: string, ...args: unknown[]) => {
      for (const name of VOTERS) await peg.succeeds(peg.user(name).call(method, args));
    };
    await vote("createFederation");
    for (const { compressedKey: key } of successors) await vote("addFederatorPublicKeyMultikey", key, key, key);
    await vote("commitFederation", await peg.federator.ask("getPendingFederationHash"));
    assert.equal(await peg.federator.ask("getProposedFederationSize"), 4n);
  });

  it("has the next federation prove that it can sign", async () => {
    await peg.confirm(await plain.pay([await federationAddress(), 2 * COIN]));
    await peg.update();
    const fund = await peg.confirmAndSign(signers());
    await peg.broadcast(fund, verdict);
    await peg.update();
    const [[key, raw]] = decodeRlp(await peg.federator.ask("getStateForSvpClient")) as [[string, string]];
    const spend = await peg.sign(key, raw.slice(2), [successors[3]!, successors[0]!, successors[2]!]);
    assert.equal(spend.ins.length, 2);
    created = Number(await peg.federator.ask("getProposedFederationCreationBlockNumber"));
    await peg.broadcast(spend);
    assert.equal(await peg.federator.ask("getProposedFederationSize"), -1n);
  });

  it("moves the coins to the next federation", async () => {
    const old = await federationAddress();
    await peg.mineTo(created + 150);
    assert.notEqual(await federationAddress(), old);
    assert.equal(await peg.federator.ask("getRetiringFederationAddress"), old);
    // Peg-ins to either are credited.
    const late = await plain.pay([old, COIN]);
    await peg.mineTo(created + 150 + 16);
    await peg.update();
    const migration = await peg.confirmAndSign(signers());
    await peg.broadcast(migration, verdict);
    named(await peg.register(late), "pegin_btc");
    await peg.update();
    await peg.broadcast(await peg.confirmAndSign(signers()), verdict);
    assert.equal((await peg.state()).activeFederationUtxos.length, 2);
  });

  it("pays peg-outs from the next federation", async () => {
    await peg.requestPegOut(user, COIN);
    await peg.createBatch();
    const signed = await peg.confirmAndSign([successors[2]!, successors[1]!, successors[3]!]);
    await peg.broadcast(signed);
    assert.equal(await plain.received(signed.getId()), signed.outs[0]!.value);
  });
}

function reorganisations(bitcoin: () => BitcoinNode): void {
  let peg: Peg;
  let user: BridgeUser;
  let wallet: ParentWallet;

  before(async () => {
    peg = await Peg.start(bitcoin());
    user = peg.user("user");
    wallet = await peg.wallet("pkh", (key) => `pkh(${key})`, "user");
    await wallet.fill(20 * COIN);
  });

  after(() => peg.stop());

  const payIn = async () => wallet.pay([await peg.federator.ask("getFederationAddress"), COIN]);

  /** Returns transactions of coins that the bridge counts but the Bitcoin node lacks. */
  async function missing(): Promise<string[]> {
    const { differences } = await peg.audit();
    return differences.filter(({ kind }: Json) => kind === "missing").map(({ coin }: Json) => coin.txid);
  }

  it("needs the block in which a peg-in is mined again, below the confirmations that the bridge wants", async () => {
    const txid = await payIn();
    await peg.mine(CONFIRMATIONS - 1);
    const early = await peg.proof(txid);
    assert.deepEqual(await peg.succeeds(peg.federator.register(early)), []);
    await peg.reorganise(await peg.blockOf(txid), CONFIRMATIONS);
    assert.deepEqual(await peg.succeeds(peg.federator.register(early)), [], "the block has lost");
    named(await peg.confirm(txid), "pegin_btc");
    assert.equal(await peg.balance(user.address), BigInt(COIN) * WEI_PER_SATOSHI);
    await peg.isSolvent();
  });

  it("credits a peg-in once if its block is replaced above these confirmations", async () => {
    const before = await peg.balance(user.address);
    const txid = await payIn();
    named(await peg.confirm(txid), "pegin_btc");
    await peg.reorganise(await peg.blockOf(txid), CONFIRMATIONS + 2);
    assert.deepEqual(await missing(), [txid]);
    assert.deepEqual(await peg.confirm(txid), []);
    await peg.isSolvent();
    assert.equal(await peg.balance(user.address), before + BigInt(COIN) * WEI_PER_SATOSHI);
  });

  it("has a peg-out mined again, and its change counted once", async () => {
    await peg.requestPegOut(user, COIN / 2);
    await peg.createBatch();
    const signed = await peg.confirmAndSign([peg.federators[2]!, peg.federators[1]!]);
    await peg.broadcast(signed);
    const coins = (await peg.state()).activeFederationUtxos;
    await peg.reorganise(await peg.blockOf(signed.getId()), CONFIRMATIONS + 1);
    assert.deepEqual(await missing(), [signed.getId()]);
    const unspent = (await peg.audit()).differences.filter(({ kind }: Json) => kind === "unspent");
    assert.deepEqual(
      unspent.map(({ by }: Json) => by),
      [signed.getId()],
    );
    assert.deepEqual(await peg.confirm(signed.getId()), []);
    await peg.isSolvent();
    assert.deepEqual((await peg.state()).activeFederationUtxos, coins);
    assert.equal(await wallet.received(signed.getId()), signed.outs[0]!.value);
  });

  it("is shown at each stage by node-cli bridge watch", async () => {
    const watch = peg.watch();
    const stage = async () => {
      const { pegOuts } = await watch.now();
      assert.equal(pegOuts.length, 1);
      return pegOuts[0];
    };
    try {
      const txid = await payIn();
      await peg.mine(1);
      const { pegIns, pegOuts, requiredConfirmations, federations } = await watch.now();
      assert.deepEqual(pegIns, [{ txid, index: 0, value: String(COIN), state: "unregistered", confirmations: 1 }]);
      assert.deepEqual(pegOuts, []);
      assert.deepEqual(requiredConfirmations, { pegIn: CONFIRMATIONS, pegOut: CONFIRMATIONS });
      assert.equal(federations.active.address, await peg.federator.ask("getFederationAddress"));
      await peg.mine(CONFIRMATIONS - 1);
      assert.equal((await watch.now()).pegIns[0].confirmations, CONFIRMATIONS);
      await peg.register(txid);
      assert.deepEqual((await watch.now()).pegIns, []);
      // An amount below each coin that may be spent, so that there is change.
      await peg.requestPegOut(user, COIN / 4);
      assert.equal((await stage()).amount, String(COIN / 4));
      await peg.createBatch();
      assert.deepEqual([(await stage()).stage, (await stage()).confirmations], ["confirming", 0]);
      const signers = peg.federators.slice(0, 2);
      const stages: Json[] = [];
      const signed = await peg.confirmAndSign(signers, async () => void stages.push(await stage()));
      const [partly, fully] = stages;
      assert.deepEqual([partly.stage, partly.required, partly.signedBy], ["signing", 2, [bare(signers[0]!)]]);
      assert.deepEqual(partly.missing.toSorted(), peg.federators.slice(1).map(bare).toSorted());
      assert.deepEqual([fully.stage, fully.txid, fully.confirmations], ["signed", signed.getId(), 0]);
      await bitcoin().call("sendrawtransaction", signed.toHex());
      await peg.mine(2);
      assert.equal((await stage()).confirmations, 2);
      await peg.confirm(signed.getId());
      assert.deepEqual((await watch.now()).pegOuts, []);
    } finally {
      assert.equal(await watch.stop(), 0);
    }
  });

  it("keeps a credited peg-in whose coins are spent otherwise above these confirmations", async () => {
    const txid = await payIn();
    named(await peg.confirm(txid), "pegin_btc");
    const { raw } = await peg.proof(txid);
    const other = Transaction.fromBuffer(raw);
    const value = other.outs.reduce((sum, output) => sum + output.value, 0);
    await peg.reorganise(await peg.blockOf(txid), 0);
    await peg.mineRaw(await wallet.sign(other.ins, value));
    await peg.generate(CONFIRMATIONS);
    await peg.follow();
    assert.deepEqual(await missing(), [txid]);
    const coins = (await peg.state()).activeFederationUtxos;
    assert.ok(coins.some(({ btcTxHash }) => btcTxHash === txid));
  });
}
