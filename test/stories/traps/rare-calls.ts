import { BRIDGE_ADDRESS } from "@cambium/config";
import { cellAddress } from "@cambium/conformance";
import {
  concatBytes,
  encodeBase58Check,
  encodeRlp,
  fromHex,
  keccak256,
  numberToBytes,
  toData,
  utf8,
} from "@cambium/primitives";
import { Block, crypto as hashes, payments, script as scripts } from "bitcoinjs-lib";
import { AUTHORIZERS, FEDERATORS, FORWARDER, type PegStory, type Signer, signer, USER } from "../peg-story.js";
import {
  authorizers,
  byKey,
  COIN,
  federationPatches,
  membersOf,
  outputOf,
  type Patch,
  parentPatches,
  pendingPatches,
  register,
  SATOSHI,
  spending,
  storedBlock,
  treeOf,
} from "./peg.js";
import { ADD_SIGNATURE, funded, TO_SIGN, toSign, unsigned, update, WAITING } from "./peg-outs.js";
import { begin, PEG, type Trap } from "./trap.js";

// Refusals of the bridge's methods that no other vector executes.

const [FEDERATOR] = FEDERATORS as [Signer];
const MEMBERS = membersOf(FEDERATORS);
const REGISTER = "registerBtcTransaction(bytes,int256,bytes)";

/** A header of the easiest difficulty, which is a known block of Bitcoin's test network. */
const HEADER = fromHex(
  "000000203b5d178405c4e6e7dc07d63d6de5db1342044791721654760c00000000000000796cf6743a036300b43fb3abe6703d04a7999751b6d5744f20327d1175320bd37b954e66ffff001d56dc11ce",
);
const PARENT = Buffer.from(HEADER.subarray(4, 36)).reverse();

function storedAt(height: number): Uint8Array {
  const header = new Block();
  header.version = 1;
  header.prevHash = Buffer.alloc(32, 5);
  header.merkleRoot = Buffer.alloc(32, 9);
  header.timestamp = 0x664e957b - 600;
  header.bits = 0x1d00ffff;
  return storedBlock(header.toBuffer(true), height, 12);
}

function refusedHeaders(): Trap {
  const text = {
    height: 6_400_000,
    rule: "A header far below the best block is too old; before RSKIP-434 one from height 849 138 is an error, or ends the list",
    spec: "spec/06b-1 §3.6",
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const federation = federationPatches({ members: MEMBERS, created: 6_300_000, format: 3000 });
  const heights = [
    [800_000, 800_027],
    [800_000, 800_026],
    [849_137, 849_137],
  ] as const;
  for (const [i, [parent, best]] of heights.entries()) {
    story.call(FEDERATOR, "receiveHeader(bytes)", [HEADER]);
    story.call(FEDERATOR, "receiveHeaders(bytes[])", [[HEADER, HEADER]]);
    const patches: Patch[] = [
      [PARENT, storedAt(parent)],
      [cellAddress("blockStoreChainHead"), storedAt(best)],
    ];
    story.mine({ patches: i === 0 ? [...federation, ...patches] : patches });
  }
  return { text, story };
}

function deepBlock(): Trap {
  const text = {
    height: 3_700_000,
    rule: "Confirmations of a block that is too deep, or above the best one",
    spec: "spec/06b-1 §3.8",
  };
  const story = begin(text, { pre: PEG });
  const hash = new Uint8Array(32).fill(6);
  for (const height of [697_679, 697_680, 702_001, 1]) {
    story.ask("getBtcTransactionConfirmations(bytes32,bytes32,uint256,bytes32[])", new Uint8Array(32), hash, 0n, []);
    story.mine({
      patches: [
        [hash, storedAt(height)],
        [cellAddress("blockStoreChainHead"), storedAt(702_000)],
      ],
    });
  }
  return { text, story };
}

const EMPTY_SCRIPT = "00";
const NULL_OUTPOINT = `${"00".repeat(32)}ffffffff`;
const OUTPOINT = `${"11".repeat(32)}00000000`;

function input(outpoint = OUTPOINT, script = EMPTY_SCRIPT): string {
  return `${outpoint}${script}ffffffff`;
}

function output(value: bigint): string {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, value, true);
  return `${Buffer.from(bytes).toString("hex")}17a914${"33".repeat(20)}87`;
}

function raw(body: string): Uint8Array {
  return fromHex(`02000000${body}00000000`);
}

const ONE = output(500_000n);
const MAX_MONEY = 2_100_000_000_000_000n;

/** Transactions of Bitcoin that break one of its basic rules, or that cannot be read. */
const FAULTS: readonly Uint8Array[] = [
  raw(`01${input()}01${ONE}`),
  raw(`01${input()}00`),
  raw("0000"),
  raw(`0002${`01${input()}01${ONE}`}`),
  raw(`0003${`01${input()}01${ONE}`}00`),
  raw(`0001${`01${input()}01${ONE}`}0100`),
  raw(`02${input()}${input()}01${ONE}`),
  raw(`01${input()}01${output(-1n)}`),
  raw(`01${input()}01${output(-2n)}`),
  raw(`01${input()}02${output(MAX_MONEY)}${output(1n)}`),
  raw(`01${input()}01${output(MAX_MONEY + 1n)}`),
  raw(`02${input()}${input(NULL_OUTPOINT)}01${ONE}`),
  raw(`01${input(NULL_OUTPOINT, "0101")}01${ONE}`),
  raw(`01${input(NULL_OUTPOINT, `65${"01".repeat(101)}`)}01${ONE}`),
  raw(`01${input(NULL_OUTPOINT, "020101")}01${ONE}`),
  raw(`01${input(OUTPOINT, "feffffffff")}01${ONE}`),
  raw(`01${input(OUTPOINT, "ffffffffffffffffff")}01${ONE}`),
  raw(`feffffffff${input()}01${ONE}`),
  raw(`ffffffffffffffffff${input()}01${ONE}`),
  raw(`01${input()}ff0000000001000000${ONE}`),
];

function hashOf(bytes: Uint8Array): Uint8Array {
  return hashes.hash256(Buffer.from(bytes));
}

/** Proof of a block with one transaction. */
function proof(hash: Uint8Array): Uint8Array {
  return concatBytes(fromHex("0100000001"), hash, fromHex("0101"));
}

function faultyTransactions(): Trap {
  const text = {
    height: 3_700_000,
    rule: "A proven transaction must be readable and keep the basic rules of Bitcoin",
    spec: "spec/06b-3 §1.2",
  };
  const story = begin(text, { pre: PEG, signers: [USER] });
  for (const [i, bytes] of FAULTS.entries()) {
    const hash = hashOf(bytes);
    const height = 702_000 + 100 * i;
    const patches = parentPatches(hash, { height, isIndexed: true });
    story.call(USER, REGISTER, [bytes, BigInt(height), proof(hash)]);
    const more = [patches[0]![0], proof(hash), new Uint8Array(32), new Uint8Array(32)];
    story.call(USER, "registerBtcCoinbaseTransaction(bytes,bytes32,bytes,bytes32,bytes32)", [bytes, ...more]);
    const federation = federationPatches({ members: MEMBERS, created: 3_400_000 });
    story.mine({ patches: i === 0 ? [...federation, ...patches] : patches });
  }
  return { text, story };
}

/** Proofs in which the coinbase, or its block, is not the one of the call. */
function otherCoinbase(): Trap {
  const text = {
    height: 3_700_000,
    rule: "A coinbase that is not in its proof, or a proof of another block, registers nothing and does not fail",
    spec: "spec/06b-1 §4.1",
  };
  const story = begin(text, { pre: PEG });
  const coinbase = raw(`01${input(NULL_OUTPOINT, "020101")}01${ONE}`);
  const patches = parentPatches(new Uint8Array(32).fill(8), { height: 702_000, isIndexed: true });
  const broken = ["", "01000000", "0100000001", `0100000002${"44".repeat(64)}0101`, `0100000001${"44".repeat(32)}00`];
  const trees = [hashOf(raw("00")), hashOf(coinbase)].map(proof);
  for (const tree of [...trees, ...broken.map((text) => fromHex(text))]) {
    const args = [coinbase, patches[0]![0], tree, new Uint8Array(32), new Uint8Array(32)];
    story.call(USER, "registerBtcCoinbaseTransaction(bytes,bytes32,bytes,bytes32,bytes32)", args);
    story.call(USER, REGISTER, [coinbase, 702_000n, tree]);
  }
  story.mine({ patches: [...federationPatches({ members: MEMBERS, created: 3_400_000 }), ...patches] });
  return { text, story };
}

const ADDRESS = encodeBase58Check(concatBytes(Uint8Array.of(0), new Uint8Array(20).fill(3)));
const LONG_ADDRESS = encodeBase58Check(concatBytes(Uint8Array.of(5), new Uint8Array(21).fill(3)));

function whitelist(): Trap {
  const text = {
    height: 1_000_000,
    rule: "Refusals of the whitelist: of strangers, of addresses, of delays; negative amounts are stored, and read as unsigned",
    spec: "spec/06b-2 §6",
    cells: ["lockWhitelist", "unlimitedLockWhitelist"],
  };
  const story = begin(text, { pre: PEG, signers: [USER], aliases: authorizers("whitelist", 1) });
  const [authorizer] = AUTHORIZERS.whitelist as [Signer];
  const ADD = "addOneOffLockWhitelistAddress(string,int256)";
  const head: Patch = [cellAddress("blockStoreChainHead"), storedAt(550_000)];
  for (const by of [USER, authorizer]) {
    story.call(by, "removeLockWhitelistAddress(string)", ["no address"]);
    story.call(by, ADD, ["no address", 1n]);
    story.call(by, ADD, [ADDRESS, 1n << 63n]);
    story.call(by, "setLockWhitelistDisableBlockDelay(int256)", [1n << 40n]);
    story.call(by, "setLockWhitelistDisableBlockDelay(int256)", [-1n]);
    story.call(by, "setLockWhitelistDisableBlockDelay(int256)", [0x7fffffffn]);
    story.mine({ patches: [head] });
  }
  for (const amount of [-1n, -(1n << 63n)]) {
    story.call(authorizer, ADD, [ADDRESS, amount]);
    story.call(USER, "getLockWhitelistEntryByAddress(string)", [ADDRESS]);
    story.call(authorizer, "removeLockWhitelistAddress(string)", [ADDRESS]);
    story.mine();
  }
  story.call(authorizer, "addUnlimitedLockWhitelistAddress(string)", [LONG_ADDRESS]);
  story.call(USER, "getLockWhitelistSize()");
  story.mine({ patches: [[cellAddress("lockWhitelist"), encodeRlp([numberToBytes(0x7fffffff)])]] });
  return { text, story };
}

/** An election cell with one call and one voter. */
function election(call: readonly (Uint8Array | Uint8Array[])[], voter: Uint8Array): Uint8Array {
  return encodeRlp([call as never, [voter]]);
}

function strangeVotes(): Trap {
  const text = {
    height: 3_700_000,
    rule: "A vote fails if a stored voter is not an authorizer, or if an election cannot be read",
    spec: "spec/06b-2 §2",
    cells: ["federationElection", "feePerKbElection", "feePerKb", "lockingCap"],
  };
  const aliases = [...authorizers("federationChange", 2)!, ...authorizers("feePerKb", 2)!];
  const story = begin(text, { pre: PEG, signers: [], aliases });
  const [member] = AUTHORIZERS.federationChange as [Signer];
  const [first, second] = AUTHORIZERS.feePerKb as [Signer, Signer];
  const active = federationPatches({ members: MEMBERS, created: 3_400_000 });
  const elections = [
    election([utf8("create"), []], USER.address),
    election([utf8("create")], USER.address),
    election([], USER.address),
    encodeRlp([utf8("create"), []]),
    encodeRlp([[utf8("create"), []]]),
    encodeRlp([[utf8("create"), [], []], []]),
  ];
  for (const [i, cell] of elections.entries()) {
    story.call(member, "createFederation()");
    story.call(first, "voteFeePerKbChange(int256)", [60_000n]);
    const fee: Patch = [cellAddress("feePerKbElection"), cell];
    const patches: Patch[] = [[cellAddress("federationElection"), cell], fee];
    story.mine({ patches: i === 0 ? [...active, ...patches] : patches });
  }
  const cleared: [Uint8Array, null][] = ["federationElection", "feePerKbElection"].map((c) => [cellAddress(c), null]);
  for (const by of [first, first, second]) story.call(by, "voteFeePerKbChange(int256)", [60_000n]);
  for (const fee of [0n, 5_000_001n, 1n << 63n]) story.call(first, "voteFeePerKbChange(int256)", [fee]);
  story.call(member, "commitFederation(bytes)", [new Uint8Array(31)]);
  story.call(member, "commitFederation(bytes)", [new Uint8Array(32)]);
  story.call(member, "rollbackFederation()");
  story.mine({ patches: cleared });
  return { text, story };
}

function cap(): Trap {
  const text = {
    height: 3_700_000,
    rule: "The locking cap at most doubles, and the call fails if twice the present one does not fit 64 bits",
    spec: "spec/06b-2 §5",
    cells: ["lockingCap"],
  };
  const story = begin(text, { pre: PEG, signers: [USER], aliases: authorizers("lockingCap", 1) });
  const [authorizer] = AUTHORIZERS.lockingCap as [Signer];
  const present = 1n << 62n;
  for (const next of [0n, present - 1n, present, present + 1n, 1n << 63n]) {
    story.call(USER, "increaseLockingCap(int256)", [next]);
    story.call(authorizer, "increaseLockingCap(int256)", [next]);
  }
  story.mine({ patches: [[cellAddress("lockingCap"), encodeRlp(fromHex(present.toString(16)))]] });
  return { text, story };
}

function singleKeys(): Trap {
  const text = {
    height: 1_000_000,
    rule: "Before RSKIP-123 a member is added with one key, which serves for all three",
    spec: "spec/06b-2 §2",
    cells: ["pendingFederation", "newFederation"],
  };
  const story = begin(text, { pre: PEG, signers: [], aliases: authorizers("federationChange", 2) });
  const voters = AUTHORIZERS.federationChange.slice(0, 2);
  const successors = ["successor1", "successor2"].map(signer);
  const keys = successors.map(({ compressed }) => compressed).sort((a, b) => Buffer.compare(a, b));
  const vote = (signature: string, args: Uint8Array[] = []) => {
    for (const by of voters) story.call(by, signature, args);
    story.mine({ patches: signature === "createFederation()" ? plain : [] });
  };
  const plain = federationPatches({ members: MEMBERS, created: 700_000, isPlain: true });
  vote("createFederation()");
  vote("addFederatorPublicKey(bytes)", [keys[0]!]);
  vote("addFederatorPublicKey(bytes)", [keys[0]!]);
  vote("commitFederation(bytes)", [keccak256(encodeRlp(keys.slice(0, 1)))]);
  vote("addFederatorPublicKey(bytes)", [keys[1]!]);
  vote("commitFederation(bytes)", [keccak256(encodeRlp(keys))]);
  return { text, story };
}

function incompleteSignatures(): Trap {
  const text = {
    height: 8_900_000,
    rule: "Signatures need at least one, a key of a member and a hash of 32 bytes",
    spec: "spec/06b-3 §8",
    cells: [WAITING],
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR, USER] });
  const federation = { members: MEMBERS, created: 8_000_000, format: 3000 } as const;
  const { transaction } = unsigned(story, federation);
  const der = fromHex("3006020101020101");
  const [key, stranger] = [FEDERATOR.compressed, signer("stranger").compressed];
  const calls: [Uint8Array, Uint8Array[], Uint8Array][] = [
    [key, [], TO_SIGN],
    [key, [der], TO_SIGN.subarray(1)],
    [key, [der, der], TO_SIGN],
    [key, [der], keccak256(TO_SIGN)],
    [stranger, [der], TO_SIGN],
    [stranger.subarray(1), [der], TO_SIGN],
  ];
  for (const args of calls) story.call(FEDERATOR, ADD_SIGNATURE, args);
  story.call(USER, ADD_SIGNATURE, calls[0]);
  story.mine({ patches: [...federationPatches(federation), toSign(transaction)] });
  return { text, story };
}

/** Elements that only occur in hand-made signatures. */
const ELEMENTS = [
  "3080".repeat(70),
  `3081ff${"020101".repeat(2)}`,
  "3084ffffffff020101020101",
  "3009020101020101130141",
  "300b020101020101a003020101",
  "30070202ffff020101",
  "30070202007f020101",
  "3080020101020101248024800401020000000000" + "00",
  "308002010102010124800201010000" + "0000",
  "30080201010201012800",
  "300e02010102010128060601550201018000",
  "3010020101020101" + "28080601550201018000",
  "300d020101020101" + "28050401028000",
  "300d020101020101" + "28050201018000",
  "300a020101020101" + "28028300",
];

function elements(): Trap {
  const text = {
    height: 8_900_000,
    rule: "More elements of a signature's sequence: nested, external, of other strings, of a wrong length",
    spec: "spec/06b-3 §8",
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  for (const encoded of ELEMENTS) {
    story.call(FEDERATOR, ADD_SIGNATURE, [FEDERATOR.compressed, [fromHex(encoded)], TO_SIGN]);
  }
  story.mine({ patches: federationPatches({ members: MEMBERS, created: 8_000_000, format: 3000 }) });
  return { text, story };
}

/** A payment by the owners of a multisig script, to one federation and to both. */
function bothFederations(): Trap {
  const text = {
    height: 8_900_000,
    rule: "A peg-in by a multisig is not refunded if it pays to two federations of different formats",
    spec: "spec/06b-3 §3.1",
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const active = { members: MEMBERS, created: 8_859_000, format: 3000 } as const;
  const retiring = {
    members: membersOf([USER, FEDERATOR]),
    created: 8_000_000,
    format: 2000,
    role: "old",
  } as const;
  const outputs = [active, retiring].map((federation) => outputOf(story, federation));
  const keys = FEDERATORS.map(({ compressed }) => Buffer.from(compressed));
  const redeem = payments.p2ms({ m: 2, pubkeys: keys }).output!;
  const multisig = scripts.compile([0, Buffer.alloc(71, 0x30), Buffer.alloc(71, 0x31), redeem]);
  for (const [i, paid] of [outputs, outputs.slice(0, 1), outputs.slice(1)].entries()) {
    const transaction = spending(
      multisig,
      paid.map((script) => [script, COIN] as const),
      i,
    );
    const blocks = { height: 902_000 + 100 * i, isIndexed: true, workBytes: 32 } as const;
    const patches = i === 0 ? [...federationPatches(active), ...federationPatches(retiring)] : [];
    register(story, FEDERATOR, transaction, blocks, patches);
  }
  return { text, story };
}

function unknownSender(): Trap {
  const text = {
    height: 8_000_000,
    rule: "Between RSKIP-459 and RSKIP-551 a peg-in that can neither be credited nor refunded is marked as processed",
    spec: "spec/06b-3 §3.1",
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const federation = { members: MEMBERS, created: 7_500_000, format: 3000 } as const;
  const transaction = spending(fromHex("020102"), [[outputOf(story, federation), COIN]]);
  const blocks = { height: 872_000, isIndexed: true, workBytes: 32 } as const;
  for (const patches of [federationPatches(federation), []]) register(story, FEDERATOR, transaction, blocks, patches);
  return { text, story };
}

function oldList(): Trap {
  const text = {
    height: 3_700_000,
    rule: "A transaction in the list from before RSKIP-134 is processed",
    spec: "spec/06b-1 §2.1",
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const federation = { members: MEMBERS, created: 3_400_000 };
  const transaction = spending(byKey(USER.compressed), [[outputOf(story, federation), COIN]]);
  const id = Buffer.from(transaction.getHash()).reverse();
  const listed: Patch = [cellAddress("btcTxHashesAP"), encodeRlp([id, numberToBytes(1_000_000)])];
  const args = [transaction.toBuffer(), 702_000n, treeOf(transaction)];
  story.call(FEDERATOR, REGISTER, args);
  story.ask("getBtcTxHashProcessedHeight(string)", id.toString("hex"));
  story.ask("isBtcTxHashAlreadyProcessed(string)", id.toString("hex"));
  story.ask("isBtcTxHashAlreadyProcessed(string)", "no hash");
  const blocks = parentPatches(transaction.getHash(), { height: 702_000, isIndexed: true });
  story.mine({ patches: [...federationPatches(federation), ...blocks, listed] });
  return { text, story };
}

function earlyRequests(): Trap {
  const text = {
    height: 3_000_000,
    rule: "Before RSKIP-185 a request by a contract fails, and one of a small amount keeps the value without an event",
    spec: "spec/06b-3 §4",
    cells: ["releaseRequestQueue", "releaseRequestQueueWithTxHash"],
    accounts: [USER.address, FORWARDER],
  };
  const requester = fromHex("c2".repeat(20));
  const code = `0x60006000600060003463${toData(BRIDGE_ADDRESS).slice(-8)}5af150`;
  const story = begin(text, {
    pre: { ...PEG, [toData(requester)]: { nonce: "0x1", balance: "0x0", code, contract: true } },
    signers: [USER],
  });
  story.send(USER, { to: requester, value: 900_000n * SATOSHI });
  for (const satoshi of [1n, 800_000n, 800_001n]) story.send(USER, { to: BRIDGE_ADDRESS, value: satoshi * SATOSHI });
  story.mine();
  return { text, story };
}

/** Waiting releases: entries of the two cells, each confirmed. */
function confirming(story: PegStory, format: 1000 | 3000, from: number): { entry: Uint8Array[]; waiting: Patch } {
  const { transaction } = unsigned(story, { members: MEMBERS, created: from, format });
  return { entry: [transaction.toBuffer(), numberToBytes(from + 50_000)], waiting: toSign(transaction) };
}

function waitingTwice(): Trap {
  const text = {
    height: 8_900_000,
    rule: "A release cannot wait for signatures twice under one hash, nor without one",
    spec: "spec/06b-3 §5.4",
    cells: [WAITING],
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const federation = { members: MEMBERS, created: 8_000_000, format: 3000 } as const;
  const { entry, waiting } = confirming(story, 3000, federation.created);
  const none: [Uint8Array, null] = [cellAddress("releaseTransactionSetWithTxHash"), null];
  const twice: Patch = [none[0], encodeRlp([...entry, TO_SIGN])];
  update(story, FEDERATOR, { patches: [...funded(story, federation, []), waiting, twice] });
  update(story, FEDERATOR, { patches: [none, [cellAddress("releaseTransactionSet"), encodeRlp(entry)]] });
  return { text, story };
}

function namedAfterCreation(): Trap {
  const text = {
    height: 3_000_000,
    rule: "Between RSKIP-146 and RSKIP-176 a confirmed release is named after the transaction that created it, if that is known",
    spec: "spec/06b-3 §5.4",
    cells: [WAITING],
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const federation = { members: MEMBERS, created: 2_700_000 } as const;
  const { entry } = confirming(story, 1000, federation.created);
  const named: Patch = [cellAddress("releaseTransactionSetWithTxHash"), encodeRlp([...entry, TO_SIGN])];
  update(story, FEDERATOR, { patches: [...funded(story, federation, []), named] });
  update(story, FEDERATOR, { patches: [[cellAddress("releaseTransactionSet"), encodeRlp(entry)]] });
  return { text, story };
}

/** Lists with too few or too many items, each with a method that reads it. */
function incompleteLists(): Trap {
  const text = {
    height: 8_900_000,
    rule: "Lists in cells must have complete entries, in a state that no network has",
    spec: "spec/06a §1.3",
  };
  const story = begin(text, { pre: PEG, signers: [USER, FEDERATOR] });
  const federation = { members: MEMBERS, created: 8_000_000, format: 3000 } as const;
  const usual = funded(story, federation, [COIN]);
  const item = fromHex("07");
  const [newFederation] = federationPatches(federation);
  const coin = spending(byKey(USER.compressed), [[outputOf(story, federation), COIN]]);
  const id = Buffer.from(coin.getHash()).reverse();
  const long = encodeRlp([item, item, [], item]);
  const cells: [cell: string, contents: Uint8Array[]][] = [
    ["releaseRequestQueue", [encodeRlp([item])]],
    ["releaseRequestQueueWithTxHash", [encodeRlp([item, item])]],
    ["releaseTransactionSet", [encodeRlp([item])]],
    ["releaseTransactionSetWithTxHash", [encodeRlp([item])]],
    ["newFederation", [long, encodeRlp([item, item])]],
    ["pendingFederation", [encodeRlp([[item, item]]), encodeRlp([[item, item, item, item]]), encodeRlp([item])]],
    ["btcTxHashesAP", [encodeRlp([id]), encodeRlp([id, item, id])]],
    ["lockWhitelist", [encodeRlp([]), encodeRlp([item, item])]],
    ["svpSpendTxWaitingForSignatures", [encodeRlp([]), encodeRlp([item])]],
  ];
  const blocks = parentPatches(coin.getHash(), { height: 902_000, isIndexed: true, workBytes: 32 });
  const proposed: Patch[] = [
    [cellAddress("proposedFederation"), newFederation![1]],
    [cellAddress("proposedFederationFormatVersion"), encodeRlp(numberToBytes(3000))],
  ];
  const cleared = cells.map(([name]): [Uint8Array, null] => [cellAddress(name), null]);
  const withPending: Patch = [cellAddress("pendingFederationFormatVersion"), encodeRlp(numberToBytes(3000))];
  for (const [name, contents] of cells) {
    for (const content of contents) {
      story.call(FEDERATOR, "updateCollections()");
      story.ask("getQueuedPegoutsCount()");
      story.ask("getPendingFederationSize()");
      story.ask("getLockWhitelistSize()");
      story.call(FEDERATOR, ADD_SIGNATURE, [FEDERATOR.compressed, [fromHex("3006020101020101")], TO_SIGN]);
      story.call(FEDERATOR, REGISTER, [coin.toBuffer(), 902_000n, treeOf(coin)]);
      const more = name.startsWith("svp") ? proposed : [];
      const known: [Uint8Array, null] = [cellAddress(`btcTxHashAP-${id.toString("hex")}`), null];
      const own: Patch = [cellAddress(name), content];
      story.mine({ patches: [...cleared, known, ...usual, ...blocks, ...more, withPending, own] });
    }
  }
  return { text, story };
}

function retiredScripts(): Trap {
  const text = {
    height: 5_000_000,
    rule: "The cell of the last retired script must have one item, in a state that no network has",
    spec: "spec/06b-3 §11.1",
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const federation = { members: MEMBERS, created: 4_700_000, format: 2000 } as const;
  const output = outputOf(story, federation);
  for (const [i, items] of [[], [output, output], [output]].entries()) {
    const transaction = spending(byKey(USER.compressed), [[output, COIN]], i);
    const cell: Patch = [cellAddress("lastRetiredFedP2SHScript"), encodeRlp(items)];
    const blocks = { height: 770_000 + 100 * i, isIndexed: true };
    register(story, FEDERATOR, transaction, blocks, [...federationPatches(federation), cell]);
  }
  return { text, story };
}

/** A pending federation without votes. */
function pendingExists(): Trap {
  const text = {
    height: 3_700_000,
    rule: "Votes that the state refuses: what is pending, committed or retiring",
    spec: "spec/06b-2 §2",
  };
  const story = begin(text, { pre: PEG, signers: [USER], aliases: authorizers("federationChange", 1) });
  const [by] = AUTHORIZERS.federationChange as [Signer];
  const active = federationPatches({ members: MEMBERS, created: 3_400_000 });
  const successor = { members: membersOf([USER, FEDERATOR]), created: 3_699_000 };
  const states: Patch[][] = [
    [...active, ...pendingPatches(MEMBERS.slice(0, 1))],
    [...federationPatches(successor), ...federationPatches({ members: MEMBERS, created: 3_400_000, role: "old" })],
  ];
  for (const patches of states) {
    for (const voter of [by, USER]) {
      story.call(voter, "createFederation()");
      story.call(voter, "addFederatorPublicKey(bytes)", [FEDERATOR.compressed]);
      const [key, other] = [FEDERATOR.compressed, USER.compressed];
      story.call(voter, "addFederatorPublicKeyMultikey(bytes,bytes,bytes)", [other, other, key]);
      story.call(voter, "addFederatorPublicKeyMultikey(bytes,bytes,bytes)", [other, other.subarray(1), key]);
      story.call(voter, "commitFederation(bytes)", [new Uint8Array(32)]);
    }
    const none: [Uint8Array, null] = [cellAddress("pendingFederation"), null];
    story.mine({ patches: patches === states[0] ? patches : [none, ...patches] });
  }
  return { text, story };
}

export const RARE_CALLS: readonly (() => Trap)[] = [
  refusedHeaders,
  deepBlock,
  faultyTransactions,
  otherCoinbase,
  whitelist,
  strangeVotes,
  cap,
  singleKeys,
  incompleteSignatures,
  elements,
  bothFederations,
  unknownSender,
  oldList,
  earlyRequests,
  waitingTwice,
  namedAfterCreation,
  incompleteLists,
  retiredScripts,
  pendingExists,
];
