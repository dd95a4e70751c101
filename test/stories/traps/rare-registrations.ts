import { redeemHash, scriptHashOutput } from "@cambium/bridge";
import { cellAddress } from "@cambium/conformance";
import { concatBytes, encodeRlp, fromHex, hash160, keccak256, secp256k1, toHex, utf8 } from "@cambium/primitives";
import { payments, script as scripts, Transaction } from "bitcoinjs-lib";
import { FEDERATORS, FORWARDER, type Signer, signer, USER } from "../peg-story.js";
import {
  byKey,
  COIN,
  type FederationCell,
  federationPatches,
  membersOf,
  outputOf,
  type ParentBlocks,
  type Patch,
  parentPatches,
  register,
  spending,
  treeOf,
} from "./peg.js";
import { unsigned } from "./peg-outs.js";
import { begin, PEG, type Trap } from "./trap.js";

// Payments of former federations, and registrations that are repeated in another form.

const [FEDERATOR] = FEDERATORS as [Signer];
const RETIRING = ["retiring1", "retiring2", "retiring3"].map(signer);
const RETIRED = ["retired1", "retired2", "retired3"].map(signer);
const USER_OUTPUT = fromHex(`76a914${"22".repeat(20)}88ac`);
const REGISTER = "registerBtcTransaction(bytes,int256,bytes)";
const FLYOVER = "registerFastBridgeBtcTransaction(bytes,uint256,bytes,bytes32,bytes,address,bytes,bool)";

/** Gives the first input the signatures of these members for their federation. */
function signedBy(members: readonly Signer[], transaction: Transaction, redeem: Buffer): Transaction {
  const hash = transaction.hashForSignature(0, redeem, Transaction.SIGHASH_ALL);
  const signatures = members
    .slice(0, 2)
    .toSorted((a, b) => Buffer.compare(a.compressed, b.compressed))
    .map(({ privateKey }) =>
      scripts.signature.encode(Buffer.from(secp256k1.sign(hash, privateKey).signature), Transaction.SIGHASH_ALL),
    );
  transaction.ins[0]!.script = scripts.compile([0, ...signatures, redeem]);
  return transaction;
}

/** Payments by every federation that ever existed, signed or not, to each other and to a user. */
function formerFederations(height: number): Trap {
  const text = {
    height,
    rule: "Legacy classification of payments by the active, the retiring and the last retired federation, to each other and to users",
    spec: "spec/06b-3 §11.1",
    cells: ["newFederationBtcUTXOs", "oldFederationBtcUTXOs"],
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const active = { members: membersOf(FEDERATORS), created: height - 45_000 } as const;
  const retiring = { members: membersOf(RETIRING), created: height - 300_000, role: "old" } as const;
  const retired = { members: membersOf(RETIRED), created: height - 600_000 } as const;
  const payers: [readonly Signer[], FederationCell][] = [
    [RETIRED, retired],
    [RETIRING, retiring],
    [FEDERATORS, active],
  ];
  const [own, former] = [outputOf(story, active), outputOf(story, retiring)];
  const isIndexed = height > 3_614_800;
  const paid: (readonly [Uint8Array, number])[][] = [
    [[own, COIN]],
    [[USER_OUTPUT, COIN]],
    [
      [USER_OUTPUT, COIN],
      [own, 1000],
    ],
    [[former, COIN]],
  ];
  const patches = [
    ...federationPatches(active),
    ...federationPatches(retiring),
    [cellAddress("lastRetiredFedP2SHScript"), encodeRlp([outputOf(story, retired)])] as Patch,
  ];
  for (const [i, [members, payer]] of payers.entries()) {
    const { redeem } = unsigned(story, payer);
    const bare = scripts.compile([0, Buffer.alloc(71, 0x30), Buffer.alloc(71, 0x31), redeem]);
    for (const [j, outputs] of paid.entries()) {
      // Each registration needs a hundred stored blocks unless there is an index of heights.
      for (const [k, isSigned] of (isIndexed ? [true, false] : [true]).entries()) {
        const salt = 8 * i + 2 * j + k;
        const transaction = spending(bare, outputs, salt);
        if (isSigned) signedBy(members, transaction, redeem);
        const blocks = { height: 500_000 + 100 * salt, isIndexed };
        register(story, FEDERATOR, transaction, blocks, salt === 0 ? patches : []);
      }
    }
  }
  return { text, story };
}

/** Input scripts that do not reveal a multisig: some push a script that pushes up to 521 bytes. */
const REVEALED: readonly string[] = [
  "020501",
  `4d0e024e09020000${"51".repeat(521)}`,
  `4d0d024e08020000${"51".repeat(520)}`,
  "00",
  "",
  "51",
];

/** Payments below the minimum, whose inputs are compared with the federations' scripts. */
function revealedScripts(height: number): Trap {
  const text = {
    height,
    rule: "A revealed script that cannot be parsed is no federation's; one with a push too long for its encoding fails the call",
    spec: "spec/06b-3 §11.1",
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const federation = { members: membersOf(FEDERATORS), created: height - 300_000 };
  for (const [i, script] of REVEALED.entries()) {
    const transaction = spending(fromHex(script), [[outputOf(story, federation), 1000]], i);
    const blocks = { height: 600_000 + 100 * i, isIndexed: height > 3_614_800 };
    register(story, FEDERATOR, transaction, blocks, i === 0 ? federationPatches(federation) : []);
  }
  return { text, story };
}

/** A payment with a witness: the hash of its bytes is not its id. */
function witnessPayment(outputs: readonly (readonly [Uint8Array, number])[], salt: number): Transaction {
  const program = concatBytes(fromHex("160014"), hash160(USER.compressed));
  const transaction = spending(program, outputs, salt);
  transaction.ins[0]!.witness = [Buffer.alloc(71, 0x30), Buffer.from(USER.compressed)];
  return transaction;
}

function stripped(transaction: Transaction): Transaction {
  const copy = transaction.clone();
  copy.stripWitnesses();
  return copy;
}

/** Cells of a block that holds the payment in both forms. */
function bothForms(transaction: Transaction, blocks: ParentBlocks): Patch[] {
  const patches = parentPatches(stripped(transaction).getHash(), blocks);
  const witnessRoot = Buffer.from(transaction.getHash(true)).reverse();
  return [...patches, [cellAddress(`coinbaseInformation-${toHex(patches[0]![0])}`), encodeRlp([witnessRoot])]];
}

/** Proof of the form with the witness. */
function witnessTree(transaction: Transaction): Uint8Array {
  return concatBytes(fromHex("0100000001"), transaction.getHash(true), fromHex("0101"));
}

/** Arguments of both forms, the shorter one first. */
function formsOf(transaction: Transaction): [Uint8Array, Uint8Array][] {
  const short = stripped(transaction);
  return [
    [short.toBuffer(), treeOf(short)],
    [transaction.toBuffer(), witnessTree(transaction)],
  ];
}

function repeatedPegIn(): Trap {
  const height = 8_900_000;
  const text = {
    height,
    rule: "A registered transaction is known by its id, in the form with a witness too",
    spec: "spec/06b-3 §2.1",
    cells: ["newFederationBtcUTXOs"],
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const federation = { members: membersOf(FEDERATORS), created: height - 300_000, format: 3000 } as const;
  const transaction = witnessPayment([[outputOf(story, federation), COIN]], 1);
  const blocks = { height: 902_000, isIndexed: true, workBytes: 32 } as const;
  for (const [raw, tree] of formsOf(transaction)) {
    for (const _ of [0, 1]) story.call(FEDERATOR, REGISTER, [raw, BigInt(blocks.height), tree]);
  }
  story.mine({ patches: [...federationPatches(federation), ...bothForms(transaction, blocks)] });
  return { text, story };
}

const DETAILS = keccak256(utf8("details"));
const BENEFICIARY = concatBytes(Uint8Array.of(0), hash160(USER.compressed));
const PROVIDER = concatBytes(Uint8Array.of(5), new Uint8Array(20).fill(7));
const PREFIX = keccak256(concatBytes(DETAILS, BENEFICIARY, FORWARDER, PROVIDER));

/** Output script of a federation's flyover address. */
function flyoverOutput(redeem: Uint8Array): Uint8Array {
  return scriptHashOutput(redeemHash(concatBytes(Uint8Array.of(32), PREFIX, Uint8Array.of(0x75), redeem), false));
}

function repeatedFlyover(former: readonly Signer[], what: string): Trap {
  const height = 5_000_000;
  const text = {
    height,
    rule: `From RSKIP-293 a flyover registration pays ${what}, once for an id in both forms`,
    spec: "spec/06b-3 §9",
    cells: ["newFederationBtcUTXOs", "oldFederationBtcUTXOs", "releaseTransactionSetWithTxHash"],
  };
  const story = begin(text, { pre: PEG, signers: [USER] });
  const active = { members: membersOf(FEDERATORS), created: height - 45_000 } as const;
  const retiring = { members: membersOf(former), created: height - 300_000, role: "old" } as const;
  const [own, other] = [active, retiring].map((federation) => flyoverOutput(unsigned(story, federation).redeem));
  const paid: (readonly [Uint8Array, number])[][] = [
    [[own!, COIN]],
    [[other!, COIN]],
    [
      [own!, COIN],
      [other!, 2 * COIN],
    ],
    [
      [own!, 300 * COIN],
      [other!, 300 * COIN],
    ],
  ];
  for (const [i, outputs] of paid.entries()) {
    const transaction = witnessPayment(outputs, i);
    const blocks = { height: 702_000 + 100 * i, isIndexed: true };
    for (const [raw, tree] of formsOf(transaction)) {
      story.ask(FLYOVER, raw, BigInt(blocks.height), tree, DETAILS, BENEFICIARY, FORWARDER, PROVIDER, i % 2 === 0);
    }
    const federations = i === 0 ? [...federationPatches(active), ...federationPatches(retiring)] : [];
    story.mine({ patches: [...federations, ...bothForms(transaction, blocks)] });
  }
  return { text, story };
}

/** Redeem scripts that resemble a multisig. Numbers are opcodes, texts are pushes. */
const RESEMBLING: readonly (readonly (number | string)[])[] = [
  ["20".repeat(32), 0x75, 0x51, 0x51, 0x51, 0x51],
  ["20".repeat(32), 0x75, 0x51, "KEY", 0x51, 0xae],
  ["20".repeat(32), 0x75, "21".repeat(32), 0x75, 0x51, "KEY", 0x51, 0xae],
  ["20".repeat(32), 0x75, 0x51, "KEY", 0x51, 0xaf],
  [0x00, "KEY", 0x51, 0xae],
  [0x51, "KEY", 0x00, 0xae],
  ["0000000001", "KEY", 0x51, 0xae],
  ["81", "KEY", 0x51, 0xae],
  [0x51, "KEY", "81", 0xae],
  [0x51, "KEY", "01", 0xae],
  [0x51, "KEY", 0x52, 0xae],
  [0x51, "KEY", 0x51, 0xae, 0x51],
  [0x52, "KEY", 0x51, 0xae],
  [0x51, 0x76, 0x51, 0xae],
  [0x64, 0x51, "KEY", 0x51, 0xae, 0x68],
  [0x64, 0x51, "KEY", 0x51, 0xae, 0x67, 0x51, "KEY", 0x51, 0xae, 0x68],
  [0x64, 0x51, "KEY", 0x51, 0xae, 0x67, "50cd00", 0xb2, 0x75, 0x51, "KEY", 0x51, 0xae, 0x68],
  [0x64, 0x51, "KEY", 0x51, 0xae, 0x67, "50cd00", 0xb2, 0x76, 0x51, "KEY", 0x51, 0xae, 0x68],
  [0x64, 0x51, "KEY", 0x51, 0xae, 0x67, "50cd00", 0xb2, 0x75, 0x52, "KEY", 0x52, 0xae, 0x68],
  [0x64, 0x51, "KEY", 0x67, "50cd00", 0xb2, 0x75, 0x51, "KEY", 0x68, 0x51, 0xae],
  [0x64, 0x51, "KEY", 0x51, 0x67, "50cd00", 0xb2, 0x75, 0x51, "KEY", 0x51, 0x68, 0xae],
  [0x64, 0x51, "KEY", 0xae, 0x67, 0x51, 0x68],
];

function compiled(script: readonly (number | string)[]): Buffer {
  return Buffer.concat(
    script.map((item) => {
      if (typeof item === "number") return Buffer.of(item);
      const data = item === "KEY" ? USER.compressed : fromHex(item);
      return Buffer.concat([Buffer.of(data.length), data]);
    }),
  );
}

/** Peg-ins of senders with strange scripts. */
function resemblingSenders(height: number, value: number): Trap {
  const text = {
    height,
    rule: "Which scripts of a sender are multisigs, and which of them fail the call",
    spec: "spec/06b-2 §1.3",
    cells: ["releaseTransactionSetWithTxHash"],
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const isLast = height > 8_000_000;
  const federation = {
    members: membersOf(FEDERATORS),
    created: height - 300_000,
    format: isLast ? 3000 : 1000,
  } as const;
  const output = outputOf(story, federation);
  const inputs = RESEMBLING.map((script) => scripts.compile([0, Buffer.alloc(71, 0x30), compiled(script)]));
  inputs.push(Buffer.from(`004730${"30".repeat(70)}76`, "hex"), scripts.compile([0, 0, 0x52]));
  for (const [i, input] of inputs.entries()) {
    const blocks = { height: (isLast ? 902_000 : 702_000) + 100 * i, isIndexed: true, workBytes: isLast ? 32 : 12 };
    const patches = i === 0 ? federationPatches(federation) : [];
    register(story, FEDERATOR, spending(input, [[output, value]], i), blocks as ParentBlocks, patches);
  }
  return { text, story };
}

/** Signatures in forms that no signer makes; the last byte is the mode. */
const SIGNATURES: readonly string[] = [
  "",
  "01",
  "300602010102010101",
  `30${"45"}${"00".repeat(80)}01`,
  "3006020101020101ff",
  "3006020901020101" + "0101",
  "3007020100020201" + "0101",
  "3006020181020101" + "01",
  "3006020101020181" + "01",
  "300603010102010101",
  "3106020101020101" + "01",
  "3006020101030101" + "01",
  "3007020200010201" + "0101",
];

/** Returns inputs that push a federation's script after data other than its members' signatures. */
function strangeInputs(): Trap {
  const height = 5_000_000;
  const text = {
    height,
    rule: "An input that pushes a federation's script spends from it only if its other elements satisfy the script",
    spec: "spec/06b-3 §11.1",
    cells: ["newFederationBtcUTXOs"],
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const active = { members: membersOf(RETIRING), created: height - 45_000 } as const;
  const retired = { members: membersOf(FEDERATORS), created: height - 600_000 } as const;
  const { redeem } = unsigned(story, retired);
  const output = outputOf(story, active);
  const { SIGHASH_SINGLE } = Transaction;
  const valid = (transaction: Transaction, position: number, mode: number) =>
    FEDERATORS.slice(0, 2)
      .toSorted((a, b) => Buffer.compare(a.compressed, b.compressed))
      .map(({ privateKey }) => {
        const hash = transaction.hashForSignature(position, redeem, mode);
        return scripts.signature.encode(Buffer.from(secp256k1.sign(hash, privateKey).signature), mode);
      });
  const inputs: ((transaction: Transaction) => readonly (number | Buffer)[])[] = [
    () => [redeem],
    () => [0, redeem],
    () => [0x4f, redeem],
    () => [0x4f, 0x4f, 0x4f, redeem],
    () => [0, 0x51, 0x60, redeem],
    () => [0x76, redeem],
    () => [0, 0, 0, 0],
    ...SIGNATURES.map((bytes) => () => [0, Buffer.from(bytes, "hex"), Buffer.from(bytes, "hex"), redeem]),
    (transaction) => [0, ...valid(transaction, 0, 1).reverse(), redeem],
    (transaction) => [0x51, ...valid(transaction, 0, 1), redeem],
    (transaction) => [0, 0, ...valid(transaction, 0, 1), redeem],
  ];
  const last: Patch = [cellAddress("lastRetiredFedP2SHScript"), encodeRlp([outputOf(story, retired)])];
  const send = (transaction: Transaction, i: number) => {
    const blocks = { height: 702_000 + 100 * i, isIndexed: true };
    register(story, FEDERATOR, transaction, blocks, i === 0 ? [...federationPatches(active), last] : []);
  };
  for (const [i, script] of inputs.entries()) {
    const transaction = spending(new Uint8Array(0), [[output, COIN]], i);
    transaction.ins[0]!.script = scripts.compile([...script(transaction)]);
    send(transaction, i);
  }
  // The mode that signs the output at the input's own position, where there is none.
  const beyond = spending(byKey(USER.compressed), [[output, COIN]], inputs.length);
  beyond.addInput(Buffer.alloc(32, 9), 0);
  beyond.ins[1]!.script = scripts.compile([0, ...valid(beyond, 1, SIGHASH_SINGLE), redeem]);
  send(beyond, inputs.length);
  // The same mode at the second position keeps the first output blank, and resets the other input's sequence.
  const second = spending(byKey(USER.compressed), [[USER_OUTPUT, COIN]], inputs.length + 1);
  second.addOutput(output, COIN);
  second.addInput(Buffer.alloc(32, 9), 0);
  second.ins[1]!.script = scripts.compile([0, ...valid(second, 1, SIGHASH_SINGLE), redeem]);
  send(second, inputs.length + 1);
  return { text, story };
}

/** Members' scripts with a note: a payment of a retired federation that has emergency keys. */
function membersPart(): Trap {
  const height = 5_000_000;
  const text = {
    height,
    rule: "From RSKIP-201 the members' part of a revealed script is compared with the last retired script",
    spec: "spec/06b-3 §11.1",
    cells: ["newFederationBtcUTXOs"],
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const active = { members: membersOf(RETIRING), created: height - 45_000, format: 2000 } as const;
  const keys = FEDERATORS.map(({ compressed }) => Buffer.from(compressed)).sort(Buffer.compare);
  const members = payments.p2ms({ m: 2, pubkeys: keys }).output!;
  const { redeem } = unsigned(story, { members: membersOf(FEDERATORS), created: height - 600_000, format: 2000 });
  const last: Patch = [
    cellAddress("lastRetiredFedP2SHScript"),
    encodeRlp([scriptHashOutput(redeemHash(members, false))]),
  ];
  const output = outputOf(story, active);
  for (const [i, outputs] of [[[output, COIN]], [[USER_OUTPUT, COIN]], [[output, 1000]]].entries()) {
    const input = scripts.compile([0, Buffer.alloc(71, 0x30), Buffer.alloc(71, 0x31), 0, redeem]);
    const transaction = spending(input, outputs as [Uint8Array, number][], i);
    const patches = i === 0 ? [...federationPatches(active), last] : [];
    register(story, FEDERATOR, transaction, { height: 702_000 + 100 * i, isIndexed: true }, patches);
  }
  return { text, story };
}

export const RARE_REGISTRATIONS: readonly (() => Trap)[] = [
  ...[3_000_000, 4_000_000, 5_000_000].map((height) => () => formerFederations(height)),
  ...[3_000_000, 4_000_000].map((height) => () => revealedScripts(height)),
  repeatedPegIn,
  () => repeatedFlyover(RETIRING, "the active and the retiring federation"),
  () => repeatedFlyover(FEDERATORS, "two federations with one address"),
  ...[
    [4_000_000, COIN],
    [8_900_000, COIN],
  ].map(
    ([height, value]) =>
      () =>
        resemblingSenders(height!, value!),
  ),
  strangeInputs,
  membersPart,
];
