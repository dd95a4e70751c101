import { cellAddress } from "@cambium/conformance";
import { concatBytes, encodeRlp, fromHex, hash160, toData, toHex } from "@cambium/primitives";
import { Block, crypto as hashes, payments, script as scripts, Transaction } from "bitcoinjs-lib";
import { FEDERATORS, type PegStory, USER } from "../peg-story.js";
import {
  byKey,
  COIN,
  type FederationCell,
  federationPatches,
  membersOf,
  outputOf,
  type ParentBlocks,
  register,
  spending,
  storedBlock,
  treeOf,
} from "./peg.js";
import { begin, PEG, type Trap, type TrapText } from "./trap.js";

// Traps of peg-ins: sender, refusal, classification.

const [FEDERATOR] = FEDERATORS as [(typeof FEDERATORS)[number]];
const CAP = "lockingCap";

/** A height of the parent chain and a federation, as they are at a height of the main network. */
interface Era {
  blocks: ParentBlocks;
  federation: FederationCell;
}

function eraAt(height: number): Era {
  const isIndexed = height >= 3_614_800;
  const format = height < 4_598_500 ? 1000 : height < 4_976_300 ? 2000 : 3000;
  return {
    blocks: { height: isIndexed ? 700_000 + Math.floor((height - 3_614_800) / 20) : 500_000, isIndexed },
    federation: { members: membersOf(FEDERATORS), created: height - 300_000, format, isPlain: height < 1_591_000 },
  };
}

/** Registers transactions with an output to the federation, each with its own input script and further outputs. */
function pegIns(
  text: TrapText,
  transactions: readonly { script?: Uint8Array; value?: number; more?: readonly (readonly [Uint8Array, number])[] }[],
  patches: [Uint8Array, Uint8Array][] = [],
): Trap {
  const { blocks, federation } = eraAt(text.height);
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const output = outputOf(story, federation);
  const federations = federationPatches(federation);
  for (const [i, { script = byKey(USER.compressed), value = COIN, more = [] }] of transactions.entries()) {
    const outputs = value === 0 ? more : [[output, value] as const, ...more];
    const at = { ...blocks, height: blocks.height + 100 * i };
    register(story, FEDERATOR, spending(script, outputs, i), at, i === 0 ? [...federations, ...patches] : []);
  }
  return { text, story };
}

function uncompressedKey(): Trap {
  const key = fromHex(
    "04869eeeb358fa4e76da63b1596a38305bdc1007b981b6d5c59f54156678280cc6120605a7c8492adb33ab50f529162c9554f5f9491faba644719517e36d12d64c",
  );
  const credited = fromHex("95bf476114e3241b808e81144228fe833fd38887");
  const text = {
    height: 267_460,
    rule: "A peg-in by an uncompressed key is credited to the address of that key",
    spec: "spec/06b-3 §3.2",
    accounts: [credited],
    figures: [["address that main credited", `accounts.${toData(credited)}.balance`, "0xde0b6b3a7640000"]] as const,
  };
  const whitelist = encodeRlp([hash160(key), fromHex("3b9aca00"), fromHex("7fffffff")]);
  return pegIns(text, [{ script: byKey(key) }], [[cellAddress("lockWhitelist"), whitelist]]);
}

function redeemOf(keys: readonly Uint8Array[], required: number): Buffer {
  return payments.p2ms({ m: required, pubkeys: keys.map((key) => Buffer.from(key)) }).output!;
}

function multisigSender(): Trap {
  const text = {
    height: 2_851_909,
    rule: "A peg-in from a P2SH multisig is refunded without asking the whitelist or the locking cap",
    spec: "spec/06b-3 §3.2",
    cells: [CAP, "releaseTransactionSetWithTxHash"],
  };
  const redeem = redeemOf(
    FEDERATORS.map(({ compressed }) => compressed),
    2,
  );
  const script = scripts.compile([0, Buffer.alloc(71, 0x30), Buffer.alloc(71, 0x31), redeem]);
  return pegIns(text, [{ script }]);
}

function whitelistRefusal(): Trap {
  const text = {
    height: 3_614_900,
    rule: "From RSKIP-181 a refusal by the whitelist alone has no event of its own, and the locking cap is read for it",
    spec: "spec/06b-3 §11.4",
    cells: [CAP],
    figures: [["initial cap of main", `cells.${CAP}`, "8506fc23ac00"]] as const,
  };
  return pegIns(text, [{}]);
}

function embedded(...fields: string[]): readonly [Uint8Array, number] {
  return [payments.embed({ data: [Buffer.from(`52534b54${fields.join("")}`, "hex")] }).output!, 0];
}

function instructions(): Trap {
  const [to, refund] = ["5a".repeat(20), "5b".repeat(20)];
  const text = {
    height: 3_614_900,
    rule: "Instructions of version 1 have 25 or 46 bytes; other lengths, other versions and a second output are refused",
    spec: "spec/06b-3 §3.3",
    accounts: [fromHex(to)],
  };
  return pegIns(text, [
    { more: [embedded("01", to)] },
    { more: [embedded("01", to, "01", refund)] },
    { more: [embedded("01", to, "01")] },
    { more: [embedded("02", to)] },
    { more: [embedded("01", to), embedded("01", to)] },
  ]);
}

/** A payment to a script that belongs to no live federation. */
const ELSEWHERE = [[fromHex(`a914${"11".repeat(20)}87`), 100_000]] as const;

/** The whitelist without an entry, which has ended. */
const WHITELIST_OFF = encodeRlp([Uint8Array.of(1)]);

function nothingToTheFederation(height: number, rule: string): Trap {
  const text = { height, rule, spec: "spec/06b-3 §11.4" };
  return pegIns(text, [{ value: 0, more: ELSEWHERE }], [[cellAddress("lockWhitelist"), WHITELIST_OFF]]);
}

function unknownSender(): Trap {
  const text = {
    height: 6_677_786,
    rule: "A peg-in from an unknown sender is rejected with reason 3 and cannot be refunded, reason 1",
    spec: "spec/06b-3 §3.1",
  };
  return pegIns(text, [{ script: fromHex("020102") }]);
}

function coinbaseKey(): Trap {
  const hash = blockOf(coinbaseOf(WITNESS_ROOT)).getHash().reverse();
  const text = {
    height: 3_229_522,
    rule: "The cell of a coinbase's information is named after the block hash in display order",
    spec: "spec/06b-1 §4.1",
    cells: [`coinbaseInformation-${toHex(hash)}`],
  };
  const story = begin(text, { pre: PEG });
  registerCoinbase(story, hash);
  return { text, story };
}

function strangeCoinbaseKey(): Trap {
  const [hash, foreign] = [blockOf(coinbaseOf(WITNESS_ROOT)).getHash().reverse(), new Uint8Array(32).fill(3)];
  const text = {
    height: 3_229_522,
    rule: "That hash is computed from the stored header, even in a state with a block under another hash",
    spec: "spec/06b-1 §4.1",
    cells: [hash, foreign].map((name) => `coinbaseInformation-${toHex(name)}`),
  };
  const story = begin(text, { pre: PEG });
  registerCoinbase(story, foreign);
  return { text, story };
}

const WITNESS_ROOT = new Uint8Array(32).fill(0x77);

/** A coinbase that commits to a witness root. */
function coinbaseOf(witnessRoot: Uint8Array): Transaction {
  const root = Uint8Array.from(witnessRoot).reverse();
  const commitment = hashes.hash256(Buffer.from(concatBytes(root, new Uint8Array(32))));
  const coinbase = new Transaction();
  coinbase.addInput(Buffer.alloc(32), 0xffffffff, undefined, Buffer.from("03aabbcc", "hex"));
  coinbase.addOutput(Buffer.from(`6a24aa21a9ed${commitment.toString("hex")}`, "hex"), 0);
  return coinbase;
}

function blockOf(coinbase: Transaction): Block {
  const block = new Block();
  block.version = 0x20000000;
  block.prevHash = Buffer.alloc(32, 7);
  block.merkleRoot = coinbase.getHash();
  block.bits = 0x1d00ffff;
  return block;
}

/** Registers a coinbase whose block is written first, with a proof that lists it or another transaction. */
function registerCoinbase(story: PegStory, hash: Uint8Array, isListed = true): void {
  const coinbase = coinbaseOf(WITNESS_ROOT);
  const listed = isListed ? coinbase : spending(byKey(USER.compressed), ELSEWHERE);
  const args = [coinbase.toBuffer(), hash, treeOf(listed), WITNESS_ROOT, new Uint8Array(32)];
  story.call(USER, "registerBtcCoinbaseTransaction(bytes,bytes32,bytes,bytes32,bytes32)", args);
  const cell = storedBlock(blockOf(coinbase).toBuffer(true), 620_000, 12);
  story.mine({
    patches: [
      [hash, cell],
      [cellAddress("blockStoreChainHead"), cell],
    ],
  });
}

function throwingMethod(): Trap {
  const text = {
    height: 4_600_948,
    rule: "A method that throws costs its gas, succeeds in the receipt, and pays the whole limit",
    spec: "spec/06a §1.3",
  };
  const story = begin(text, { pre: PEG });
  const args = [new Uint8Array(80), new Uint8Array(32), new Uint8Array(9), new Uint8Array(32), new Uint8Array(32)];
  story.call(USER, "registerBtcCoinbaseTransaction(bytes,bytes32,bytes,bytes32,bytes32)", args);
  story.mine();
  return { text, story };
}

function returningFailure(): Trap {
  const text = {
    height: 4_603_038,
    rule: "A coinbase that its proof does not list is refused without a failure, so only the gas used is paid",
    spec: "spec/06b-1 §4.1",
  };
  const story = begin(text, { pre: PEG });
  registerCoinbase(story, new Uint8Array(32).fill(3), false);
  return { text, story };
}

export const PEG_IN_TRAPS: readonly (() => Trap)[] = [
  uncompressedKey,
  multisigSender,
  whitelistRefusal,
  instructions,
  () =>
    nothingToTheFederation(
      4_598_499,
      "Before RSKIP-293 a registered transaction without an output to a live federation is ignored",
    ),
  () =>
    nothingToTheFederation(
      5_171_600,
      "From RSKIP-293 a transaction without an output to a live federation is a valid peg-in of nothing",
    ),
  () =>
    nothingToTheFederation(
      6_223_964,
      "From RSKIP-379 a peg-in of nothing is rejected with reason 5, and cannot be refunded, reason 3",
    ),
  unknownSender,
  coinbaseKey,
  strangeCoinbaseKey,
  throwingMethod,
  returningFailure,
];
