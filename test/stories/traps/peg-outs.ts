import { redeemScript, sortMembers } from "@cambium/bridge";
import { BRIDGE_ADDRESS, rulesAt } from "@cambium/config";
import { cellAddress } from "@cambium/conformance";
import { encodeRlp, fromHex, keccak256, numberToBytes, secp256k1, toData, toHex, utf8 } from "@cambium/primitives";
import { script as scripts, Transaction } from "bitcoinjs-lib";
import { FEDERATORS, type PegStory, type Signer, signer, USER } from "../peg-story.js";
import {
  addressOf,
  COIN,
  coins,
  type FederationCell,
  federationPatches,
  type Keys,
  membersOf,
  outputOf,
  type Patch,
  SATOSHI,
  sameKeys,
  spending,
} from "./peg.js";
import { begin, PEG, type Trap, type TrapText } from "./trap.js";

// Traps of requests, releases and signatures.

const [FEDERATOR] = FEDERATORS as [Signer];
const SUCCESSORS = ["successor1", "successor2", "successor3"].map(signer);
const MEMBERS = membersOf(FEDERATORS);
const RELEASES = ["releaseTransactionSet", "releaseTransactionSetWithTxHash"];
const QUEUES = ["releaseRequestQueue", "releaseRequestQueueWithTxHash"];
export const WAITING = "rskTxsWaitingFS";

/** A federation with these coins. */
export function funded(story: PegStory, federation: FederationCell, values: readonly number[]): Patch[] {
  const role = federation.role ?? "new";
  const script = outputOf(story, federation);
  return [...federationPatches(federation), [cellAddress(`${role}FederationBtcUTXOs`), coins(script, values)]];
}

export function request(story: PegStory, value: bigint, by: Signer = USER): void {
  story.send(by, { to: BRIDGE_ADDRESS, value });
}

export function update(story: PegStory, by: Signer, options: Parameters<PegStory["mine"]>[0] = {}): void {
  story.call(by, "updateCollections()");
  story.mine(options);
}

/** A request of half a coin, then an update that builds its transaction. */
function release(text: TrapText, federation: Omit<FederationCell, "members">, from = text.height - 1): Trap {
  const story = begin(text, { from, pre: PEG, signers: [USER, FEDERATOR] });
  request(story, 50_000_000n * SATOSHI);
  story.mine({ patches: funded(story, { members: MEMBERS, ...federation }, [3 * COIN, COIN]) });
  update(story, FEDERATOR, { skip: text.height - story.number - 1 });
  return { text, story };
}

function entriesWithHash(): Trap {
  const text = {
    height: 2_421_462,
    rule: "From RSKIP-146 entries with a hash are in a second cell, and the first one is rewritten as an empty list",
    spec: "spec/06b-1 §2.3",
    cells: [...RELEASES, ...QUEUES],
    figures: [
      ["gas of the update", "blocks.1.results.0.gasUsed", "0x10ea0"],
      ["the cell after the block", "cells.releaseTransactionSet", "c0"],
    ] as const,
  };
  return release(text, { created: 2_200_000 });
}

function emergencyInput(): Trap {
  const text = {
    height: 4_677_503,
    rule: "An input of a federation with emergency keys has one more empty item before its script; the stored format decides",
    spec: "spec/06b-3 §6.1",
    cells: RELEASES,
  };
  return release(text, { created: 4_652_781 - 100_000, format: 2000 });
}

function creationEvent(): Trap {
  const text = {
    height: 7_338_403,
    rule: "From RSKIP-428 a release has an event with the values of its inputs, between the other two",
    spec: "spec/06b-3 §10",
    cells: RELEASES,
  };
  return release(text, { created: 6_000_000, format: 3000 });
}

/** The fee per kilobyte on mainnet at that time, as a cell. */
const FEE: Patch = [cellAddress("feePerKb"), encodeRlp(numberToBytes(30_000))];

function refusedRequest(height: number, rule: string, value: bigint, isFigure = true): Trap {
  const event = "b607c3e1fbe6b38cd145b15b837f7b722b199caa60e3057b36c141adee3b75e7";
  const data = `${(value / SATOSHI).toString(16).padStart(64, "0")}${"1".padStart(64, "0")}`;
  const figures = [
    ["event", "blocks.0.results.0.logs.0.topics.0", event],
    ["amount in satoshi and reason", "blocks.0.results.0.logs.0.data", data],
  ] as const;
  const text = { height, rule, spec: "spec/06b-3 §4", figures: isFigure ? figures : [] };
  const story = begin(text, { pre: PEG });
  request(story, value);
  story.mine({ patches: [FEE] });
  return { text, story };
}

function acceptedRequest(): Trap {
  const event = "8e04e2f2c246a91202761c435d6a4971bdc7af0617f0c739d900ecd12a6d7266";
  const data = ["40", "61a80", "14"].map((word) => word.padStart(64, "0")).join("");
  const text = {
    height: 3_615_289,
    rule: "From RSKIP-185 an accepted request has an event",
    spec: "spec/06b-3 §4",
    cells: QUEUES,
    figures: [
      ["event", "blocks.0.results.0.logs.0.topics.0", event],
      ["amount, and length of the destination, which follows", "blocks.0.results.0.logs.0.data", data],
    ] as const,
  };
  const story = begin(text, { pre: PEG });
  request(story, 400_000n * SATOSHI);
  story.mine({ patches: [FEE] });
  return { text, story };
}

/** A contract that requests a release with the value of its call. */
const REQUESTER = fromHex("c1".repeat(20));
const REQUESTER_CODE = "0x6000600060006000346301000006" + "5af150";

/** Adds the cell that indexes the only release, by the hash that its first input signs. */
function withIndex({ text, story }: Trap, federation: FederationCell): Trap {
  const [raw] = story.list(cellAddress("releaseTransactionSetWithTxHash"));
  const { redeem } = unsigned(story, federation);
  const hash = Transaction.fromBuffer(Buffer.from(raw!)).hashForSignature(0, redeem, Transaction.SIGHASH_ALL);
  return { text: { ...text, cells: [...(text.cells ?? []), `pegoutTxSigHash-${toHex(hash)}`] }, story };
}

function indexedRelease(): Trap {
  const text = {
    height: 6_226_520,
    rule: "From RSKIP-379 a release is indexed by the hash that its first input signs, in internal order",
    spec: "spec/06b-3 §2.3",
  };
  const federation = { created: 6_000_000, format: 3000 } as const;
  return withIndex(release(text, federation), { members: MEMBERS, ...federation });
}

function contractRequest(): Trap {
  const text = {
    height: 6_223_933,
    rule: "A request by a contract is rejected with reason 2, and the value of the call stays in the bridge",
    spec: "spec/06b-3 §4",
    accounts: [REQUESTER, USER.address],
    figures: [["amount", "blocks.0.results.0.logs.0.data", "2710".padStart(64, "0")]] as const,
  };
  const requester = { nonce: "0x1", balance: "0x0", code: REQUESTER_CODE, contract: true };
  const story = begin(text, { pre: { ...PEG, [toData(REQUESTER)]: requester } });
  story.send(USER, { to: REQUESTER, value: 10_000n * SATOSHI });
  story.mine();
  return { text, story };
}

function emptyQueue(): Trap {
  const text = {
    height: 4_598_511,
    rule: "The height of the next batch moves with an empty queue, too",
    spec: "spec/06b-3 §5.3",
    cells: ["nextPegoutHeight"],
    figures: [["the cell after the block: 4 598 871", "cells.nextPegoutHeight", "83462c57"]] as const,
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  update(story, FEDERATOR, { patches: funded(story, { members: MEMBERS, created: 4_000_000 }, []) });
  return { text, story };
}

function batch(): Trap {
  const hashes = [
    "61c6130f81c18343e003cbd3f2ea51c6770985a8a52390cb29fe277a73c705c4",
    "0b667320dc677030d0c7314fd3728f60a21fe665befe3105204cebecad3501b4",
  ];
  const text = {
    height: 4_598_891,
    rule: "A batch has two events, and leaves an empty list in the queue's cell",
    spec: "spec/06b-3 §5.3",
    cells: ["nextPegoutHeight", ...QUEUES],
    figures: [
      [
        "event",
        "blocks.0.results.0.logs.2.topics.0",
        "483d0191cc4e784b04a41f6c4801a0766b43b1fdd0b9e3e6bfdca74e5b05c2eb",
      ],
      [
        "hashes of the requests",
        "blocks.0.results.0.logs.2.data",
        `${"20".padStart(64, "0")}${"40".padStart(64, "0")}${hashes.join("")}`,
      ],
    ] as const,
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const requests = hashes.flatMap((hash, i) => [new Uint8Array(20).fill(i + 1), numberToBytes(400_000), fromHex(hash)]);
  const queue: Patch = [cellAddress("releaseRequestQueueWithTxHash"), encodeRlp(requests)];
  const federation = funded(story, { members: MEMBERS, created: 4_000_000 }, [COIN]);
  update(story, FEDERATOR, { patches: [...federation, queue] });
  return { text, story };
}

/** A transaction that spends a federation's coin, unsigned. */
export function unsigned(story: PegStory, federation: FederationCell): { transaction: Transaction; redeem: Buffer } {
  const { members, format = 1000, created } = federation;
  const sorted = { format, creationTimeMillis: 0n, creationBlock: created, members: sortMembers(members) };
  const redeem = Buffer.from(redeemScript(sorted, story.config, rulesAt(story.config, story.number)));
  const places = Math.floor(members.length / 2) + 1 + (format === 1000 ? 0 : 1);
  const script = scripts.compile([...Array<number>(places + 1).fill(0), redeem]);
  return { transaction: spending(script, [[fromHex(`76a914${"22".repeat(20)}88ac`), COIN / 2]]), redeem };
}

function confirmed(): Trap {
  const text = {
    height: 5_469_495,
    rule: "From RSKIP-326 a confirmed release has an event with the height of its creation",
    spec: "spec/06b-3 §5.4",
    cells: [...RELEASES, WAITING],
    figures: [
      [
        "event",
        "blocks.0.results.0.logs.1.topics.0",
        "c287f602476eeef8a547a3b82e79045c827c51362ff153f728b6d839bad099ef",
      ],
      ["height of the creation", "blocks.0.results.0.logs.1.data", "536592"],
    ] as const,
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const federation = { members: MEMBERS, created: 5_000_000, format: 3000 } as const;
  const { transaction } = unsigned(story, federation);
  const entry = encodeRlp([transaction.toBuffer(), numberToBytes(5_465_490), keccak256(utf8("request"))]);
  const waiting: Patch = [cellAddress("releaseTransactionSetWithTxHash"), entry];
  update(story, FEDERATOR, { patches: [...funded(story, federation, []), waiting] });
  return { text, story };
}

function orderToSign(): Trap {
  const keys = ["285b09", "12b7dd"].map((start, i) => fromHex(`${start}${"00".repeat(27)}${["d10c", "baf0"][i]}`));
  const text = {
    height: 3_340_065,
    rule: "Releases to sign are sorted by their hashes from the last byte to the first",
    spec: "spec/06b-1 §2.3",
    cells: [WAITING],
    figures: [
      ["order of the two hashes: the one that ends in 0c is first", `cells.${WAITING}`, `a0${"285b09"}`],
    ] as const,
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const federation = { members: MEMBERS, created: 3_000_000 };
  const { transaction, redeem } = unsigned(story, federation);
  const raw = transaction.toBuffer();
  const cell = encodeRlp([keys[1]!, raw, keys[0]!, raw]);
  sign(story, FEDERATOR, FEDERATOR.compressed, transaction, redeem, keys[1]!);
  story.mine({ patches: [...funded(story, federation, []), [cellAddress(WAITING), cell]] });
  return { text, story };
}

export const ADD_SIGNATURE = "addSignature(bytes,bytes[],bytes)";

/** Queues a member's signature. */
export function sign(
  story: PegStory,
  by: Signer,
  publicKey: Uint8Array,
  transaction: Transaction,
  redeem: Buffer,
  key: Uint8Array,
): void {
  const hash = transaction.hashForSignature(0, redeem, Transaction.SIGHASH_ALL);
  const { signature } = secp256k1.sign(hash, by.privateKey);
  const der = scripts.signature.encode(Buffer.from(signature), Transaction.SIGHASH_ALL).subarray(0, -1);
  story.call(by, ADD_SIGNATURE, [publicKey, [der], key]);
}

export const TO_SIGN = keccak256(utf8("to sign"));

export function toSign(transaction: Transaction): Patch {
  return [cellAddress(WAITING), encodeRlp([TO_SIGN, transaction.toBuffer()])];
}

function foreignSignature(): Trap {
  const text = {
    height: 2_448_984,
    rule: "A signature of a member who is not in the script that is spent has an event, but no effect",
    spec: "spec/06b-3 §8",
    cells: [WAITING],
  };
  const story = begin(text, { pre: PEG, signers: [SUCCESSORS[0]!, FEDERATOR] });
  const retiring = { members: MEMBERS, created: 2_200_000, role: "old" } as const;
  const { transaction, redeem } = unsigned(story, retiring);
  const active = { members: membersOf(SUCCESSORS), created: 2_426_478 };
  sign(story, SUCCESSORS[0]!, SUCCESSORS[0]!.compressed, transaction, redeem, TO_SIGN);
  sign(story, FEDERATOR, FEDERATOR.compressed, transaction, redeem, TO_SIGN);
  story.mine({ patches: [...federationPatches(active), ...federationPatches(retiring), toSign(transaction)] });
  return { text, story };
}

/** The key of a member whose node key differs, on mainnet. */
const MAIN_MEMBER = fromHex("02a95f095d0ce8cb3b9bf70cc837e3ebe1d107959b1fa3f9b2d8f33446f9c8cbdb");

function addressByParentKey(): Trap {
  const address = "a50367d690e4bf2707398c62d71d4878c356290f";
  const text = {
    height: 5_467_999,
    rule: "Until RSKIP-415 the event of a signature names the address of the member's parent-chain key",
    spec: "spec/06b-3 §8",
    figures: [["address of that key", "blocks.0.results.0.logs.0.topics.2", address]] as const,
  };
  const story = begin(text, { pre: PEG, signers: [], aliases: [[USER, addressOf(MAIN_MEMBER)]] });
  const federation = { members: [sameKeys(MAIN_MEMBER), ...MEMBERS], created: 5_000_000, format: 3000 } as const;
  const { transaction, redeem } = unsigned(story, federation);
  sign(story, USER, MAIN_MEMBER, transaction, redeem, TO_SIGN);
  story.mine({ patches: [...federationPatches(federation), toSign(transaction)] });
  return { text, story };
}

function addressByNodeKey(): Trap {
  const text = {
    height: 6_223_704,
    rule: "From RSKIP-415 the event of a signature names the address of the member's node key",
    spec: "spec/06b-3 §8",
    cells: [WAITING],
  };
  const node = SUCCESSORS[0]!;
  const story = begin(text, { pre: PEG, signers: [], aliases: [[FEDERATOR, node.address]] });
  const keys = { btc: FEDERATOR.compressed, rsk: node.compressed, mst: node.compressed };
  const federation = { members: [keys, ...MEMBERS.slice(1)], created: 6_000_000, format: 3000 } as const;
  const { transaction, redeem } = unsigned(story, federation);
  sign(story, FEDERATOR, FEDERATOR.compressed, transaction, redeem, TO_SIGN);
  story.mine({ patches: [...federationPatches(federation), toSign(transaction)] });
  return { text, story };
}

function malformedSignature(): Trap {
  const text = {
    height: 9_217_796,
    rule: "A signature that is not DER throws: status 1, gas of the method, and the whole limit is paid",
    spec: "spec/06b-3 §8",
    figures: [
      ["gas", "blocks.0.results.0.gasUsed", "0x17500"],
      ["fee in wei: limit times price", "blocks.0.results.0.paidFees", `0x${(5_213_120_000_000_000n).toString(16)}`],
    ] as const,
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  // Limit and price are invented. Their product and the number of zero bytes are those of mainnet.
  const signature = new Uint8Array(70).fill(0x11);
  const key = keccak256(utf8("no such release"));
  const data = { gasLimit: 2_000_000n, gasPrice: 2_606_560_000n };
  story.call(FEDERATOR, ADD_SIGNATURE, [FEDERATOR.compressed, [signature], key], 0n, BRIDGE_ADDRESS, data);
  const federation = { members: MEMBERS, created: 9_000_000, format: 4000 } as const;
  story.mine({ patches: federationPatches(federation) });
  return { text, story };
}

function estimatedFee(): Trap {
  const text = {
    height: 5_927_135,
    rule: "The least request depends on the real size of the active federation's inputs",
    spec: "spec/06b-3 §6.5",
    cells: QUEUES,
  };
  const story = begin(text, { pre: PEG });
  const members: Keys[] = Array.from({ length: 9 }, (_, i) => sameKeys(signer(`member ${i}`).compressed));
  request(story, 459_876n * SATOSHI);
  const fee: Patch = [cellAddress("feePerKb"), encodeRlp(numberToBytes(150_000))];
  story.mine({ patches: [...federationPatches({ members, created: 5_500_000, format: 3000 }), fee] });
  return { text, story };
}

function migration(): Trap {
  const text = {
    height: 7_069_808,
    rule: "A migration is built with version 2, and indexed by the hash that its first input signs",
    spec: "spec/06b-3 §5.2",
    cells: RELEASES,
  };
  const story = begin(text, { pre: PEG, signers: [SUCCESSORS[0]!] });
  const created = 7_069_808 - 41_000;
  const retiring = { members: MEMBERS, created: 6_000_000, format: 3000, role: "old" } as const;
  const patches = [
    ...federationPatches({ members: membersOf(SUCCESSORS), created, format: 3000 }),
    ...funded(story, retiring, [COIN, 2 * COIN]),
  ];
  update(story, SUCCESSORS[0]!, { patches });
  return withIndex({ text, story }, retiring);
}

export const PEG_OUT_TRAPS: readonly (() => Trap)[] = [
  entriesWithHash,
  () =>
    refusedRequest(
      3_615_279,
      "From RSKIP-185 a refused request is refunded in whole satoshi, with an event",
      10_000n * SATOSHI,
    ),
  acceptedRequest,
  () => refusedRequest(4_212_341, "A request of value 0 is refused with an event", 0n),
  () => refusedRequest(8_010_127, "From RSKIP-427 the refund and its event are in wei", 10_000n * SATOSHI + 7n, false),
  contractRequest,
  emptyQueue,
  batch,
  emergencyInput,
  creationEvent,
  indexedRelease,
  confirmed,
  orderToSign,
  foreignSignature,
  addressByParentKey,
  addressByNodeKey,
  malformedSignature,
  estimatedFee,
  migration,
];
