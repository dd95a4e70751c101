import { BRIDGE_CELLS, redeemHash, scriptHashOutput, sortMembers } from "@cambium/bridge";
import { BRIDGE_ADDRESS, type FederationFormat } from "@cambium/config";
import type { StoryStart } from "@cambium/conformance";
import {
  bytesToNumber,
  concatBytes,
  encodeRlp,
  fromHex,
  hash160,
  keccak256,
  numberToBytes,
  secp256k1,
  toHex,
  utf8,
} from "@cambium/primitives";
import { Block, script as scripts, Transaction } from "bitcoinjs-lib";
import { AUTHORIZERS, FEDERATORS, FORWARDER, PegStory, payment, type Signer, signer, USER } from "./peg-story.js";

// Stories that follow coins through the peg until they are spent: signed transactions are mined on the parent chain.

const SATOSHI = 10n ** 10n;
const COIN = 100_000_000;
const [FEDERATOR] = FEDERATORS as [Signer];
const RELEASE_TOPIC = toHex(keccak256(utf8("release_btc(bytes32,bytes)")));
const FLYOVER = "registerFastBridgeBtcTransaction(bytes,uint256,bytes,bytes32,bytes,address,bytes,bool)";
const { SIGHASH_ALL } = Transaction;

type Input = Transaction["ins"][number];

function update(story: PegStory, skip: number, by = FEDERATOR): void {
  story.call(by, "updateCollections()");
  story.mine({ skip });
}

/**
 * Lets members sign the first waiting transaction in a cell. Returns the complete transaction as the bridge announces
 * it. `spentBy` returns the satoshi that an input spends.
 */
function sign(
  story: PegStory,
  cell: Uint8Array,
  members: readonly Signer[],
  spentBy: (input: Input) => number,
): Transaction {
  const [key, encoded] = story.list(cell) as [Uint8Array, Uint8Array];
  const transaction = Transaction.fromBuffer(Buffer.from(encoded));
  const sighashes = transaction.ins.map((input, i) => {
    const redeem = input.witness.at(-1);
    return redeem === undefined
      ? transaction.hashForSignature(i, scripts.decompile(input.script)!.at(-1) as Buffer, SIGHASH_ALL)
      : transaction.hashForWitnessV0(i, redeem, spentBy(input), SIGHASH_ALL);
  });
  for (const by of members) {
    const signatures = sighashes.map((hash) => {
      const { signature } = secp256k1.sign(hash, by.privateKey);
      return scripts.signature.encode(Buffer.from(signature), SIGHASH_ALL).subarray(0, -1);
    });
    story.call(by, "addSignature(bytes,bytes[],bytes)", [by.compressed, signatures, key]);
  }
  const logs = story.mine().flatMap((result) => ("receipt" in result ? result.receipt.logs : []));
  const { data } = logs.find(({ topics }) => toHex(topics[0]!) === RELEASE_TOPIC)!;
  return Transaction.fromBuffer(Buffer.from(data.subarray(64, 64 + bytesToNumber(data.subarray(32, 64)))));
}

/** A federation is elected, proves that it can sign, becomes active, and receives the coins of its predecessor. */
async function migration(): Promise<PegStory> {
  const story = new PegStory("migration", "regtest", 8000);
  const spentBy = (input: Input) => story.parent.spent(input)!.value;
  const signers = FEDERATORS.slice(0, 2);
  const successors = ["successor1", "successor2", "successor3", "successor4"].map(signer);
  const relay = async (transaction: Transaction) => story.register(await story.parent.include(transaction));
  await story.parent.mine(400);
  for (const salt of [1, 2]) await relay(payment(USER, [[story.federation(FEDERATORS).output, salt * COIN]], salt));
  for (const { address } of successors) story.send(USER, { to: address, value: 10n ** 16n });
  story.vote("createFederation()");
  story.nominate(successors);
  story.commit(successors);
  update(story, 0);
  update(story, 3);
  await relay(sign(story, BRIDGE_CELLS.waitingForSignatures, signers, spentBy));
  update(story, 0);
  await relay(sign(story, BRIDGE_CELLS.svpSpendWaitingForSignatures, successors.slice(1), spentBy));
  await relay(payment(USER, [[story.federation(successors).output, COIN]], 3));
  update(story, 150);
  await relay(payment(USER, [[story.federation(successors).output, COIN]], 4));
  update(story, 15);
  update(story, 3);
  await relay(sign(story, BRIDGE_CELLS.waitingForSignatures, signers, spentBy));
  story.send(USER, { to: BRIDGE_ADDRESS, value: 150_000_000n * SATOSHI });
  story.mine();
  update(story, 150);
  update(story, 3, successors[0]);
  await relay(sign(story, BRIDGE_CELLS.waitingForSignatures, successors.slice(0, 3), spentBy));
  story.ask("getRetiringFederationSize()");
  story.ask("getActiveFederationCreationBlockHeight()");
  story.mine();
  return story;
}

/** Payments that a contract advanced, with every result, and the refund of those above the locking cap. */
async function flyover(): Promise<PegStory> {
  const story = new PegStory("flyover", "regtest", 9000);
  const { redeem } = story.federation(FEDERATORS);
  const user = concatBytes(Uint8Array.of(111), hash160(USER.compressed));
  const provider = concatBytes(Uint8Array.of(196), new Uint8Array(20).fill(7));
  const details = keccak256(utf8("details"));
  const prefix = keccak256(concatBytes(details, user, FORWARDER, provider));
  const script = concatBytes(Uint8Array.of(32), prefix, Uint8Array.of(0x75), redeem);
  const output = Buffer.from(scriptHashOutput(redeemHash(script, true)));
  await story.parent.mine(400);
  const register = async (value: number, to: Buffer, toProvider: boolean, salt: number) => {
    const { raw, height, tree } = await story.parent.include(payment(USER, [[to, value]], salt));
    const args = [raw, BigInt(height), tree, details, user, FORWARDER, provider, toProvider];
    story.call(USER, FLYOVER, args);
    story.ask(FLYOVER, ...args.with(5, USER.address));
    story.ask(FLYOVER, ...args.with(1, BigInt(height) + 2n));
    story.ask(FLYOVER, ...args);
    story.ask(FLYOVER, ...args);
    story.mine();
  };
  await register(COIN, output, true, 1);
  await register(499_999, output, true, 2);
  await register(COIN, story.federation(FEDERATORS).output, true, 3);
  await register(1000 * COIN, output, true, 4);
  await register(1000 * COIN, output, false, 5);
  update(story, 3);
  update(story, 0);
  const spentBy = (input: Input) => story.parent.spent(input)!.value;
  for (let i = 0; i < 2; i++) sign(story, BRIDGE_CELLS.waitingForSignatures, FEDERATORS.slice(1), spentBy);
  return story;
}

type Patch = [Uint8Array, Uint8Array];

/**
 * Returns the cells of a block with one transaction and of a head far enough above it; look-ups by index need none in
 * between.
 */
function blockPatches(root: Buffer, height: number, confirmations: number, wide: boolean): Patch[] {
  const stored = [height, height + confirmations - 1].map((at): [Buffer, Uint8Array] => {
    const block = new Block();
    block.version = 0x20000000;
    block.prevHash = Buffer.alloc(32, 7);
    block.merkleRoot = root;
    block.timestamp = 1_650_000_000 + at;
    block.bits = 0x1d00ffff;
    const work = new Uint8Array(wide ? 32 : 12);
    work[0] = 1;
    work.set(numberToBytes(at), work.length - 3);
    return [block.getHash().reverse(), concatBytes(work, Uint8Array.of(0), numberToBytes(at), block.toBuffer(true))];
  });
  const [[hash], [, head]] = stored as [[Buffer, Uint8Array], [Buffer, Uint8Array]];
  const index = keccak256(utf8(`btcBlockHeight-${height}`));
  return [...stored, [index, encodeRlp(hash)], [BRIDGE_CELLS.chainHead, head]];
}

interface Era {
  network: StoryStart["network"];
  number: number;
  format: FederationFormat;
  parentHeight: number;
  parentConfirmations: number;
  releaseConfirmations: number;
  wide: boolean;
}

/** Peg-in and peg-out on a network whose parent blocks cannot be mined, with a federation whose keys are known. */
async function patchedFederation(name: string, era: Era): Promise<PegStory> {
  const story = new PegStory(name, era.network, era.number);
  const { output } = story.federation(FEDERATORS, era.format);
  const keys = FEDERATORS.map(({ compressed: key }) => ({ btc: key, rsk: key, mst: key }));
  const members = sortMembers(keys).map(({ btc, rsk, mst }) => encodeRlp([btc, rsk, mst]));
  const creation = [numberToBytes(1_600_000_000_000), numberToBytes(era.number - 1_000_000)];
  const patches: Patch[] = [
    [BRIDGE_CELLS.newFederation, encodeRlp([...creation, members])],
    [BRIDGE_CELLS.newFederationFormatVersion, encodeRlp(numberToBytes(era.format))],
  ];
  let height = era.parentHeight;
  const relay = (transaction: Transaction, more: Patch[] = []) => {
    const root = transaction.getHash();
    story.mine({ patches: [...more, ...blockPatches(root, height, era.parentConfirmations, era.wide)] });
    const tree = Buffer.concat([fromHex("0100000001"), root, fromHex("0101")]);
    story.register({ raw: transaction.toBuffer(), height, tree });
    height += era.parentConfirmations;
  };
  relay(payment(USER, [[output, 3 * COIN]], 1), patches);
  story.call(USER, "releaseBtc()", [], 50_000_000n * SATOSHI);
  story.mine();
  update(story, 400);
  update(story, era.releaseConfirmations);
  relay(sign(story, BRIDGE_CELLS.waitingForSignatures, FEDERATORS.slice(0, 2), () => 3 * COIN));
  story.ask("getActivePowpegRedeemScript()");
  story.mine();
  return story;
}

/** The locking cap doubles until its double exceeds 64 bits. */
async function growingCap(): Promise<PegStory> {
  const story = new PegStory("growing-cap", "testnet", 8_000_000);
  const [by] = AUTHORIZERS.lockingCap as [Signer];
  for (let cap = 40_000_000_000n; cap < 1n << 63n; cap *= 2n) {
    story.call(by, "increaseLockingCap(int256)", [cap]);
    story.mine();
  }
  story.call(by, "increaseLockingCap(int256)", [(1n << 63n) - 1n]);
  story.call(by, "increaseLockingCap(int256)", [1n]);
  story.mine();
  return story;
}

export const LIFE_CYCLES: readonly (() => Promise<PegStory>)[] = [
  migration,
  flyover,
  () =>
    patchedFederation("patched-federation-main", {
      network: "main",
      number: 8_900_000,
      format: 4000,
      parentHeight: 910_000,
      parentConfirmations: 100,
      releaseConfirmations: 4000,
      wide: true,
    }),
  () =>
    patchedFederation("patched-federation-test", {
      network: "testnet",
      number: 4_300_000,
      format: 3000,
      parentHeight: 2_400_000,
      parentConfirmations: 10,
      releaseConfirmations: 10,
      wide: false,
    }),
  growingCap,
];
