import { redeemHash, scriptHashOutput } from "@cambium/bridge";
import { cellAddress } from "@cambium/conformance";
import {
  concatBytes,
  encodeRlp,
  fromHex,
  hash160,
  keccak256,
  numberToBytes,
  reverseBytes,
  secp256k1,
  toData,
  utf8,
} from "@cambium/primitives";
import { Block, crypto as hashes, payments, script as scripts, Transaction } from "bitcoinjs-lib";
import { AUTHORIZERS, FEDERATORS, FORWARDER, type Signer, signer, USER } from "../peg-story.js";
import { relay } from "./calls.js";
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
  sameKeys,
  spending,
  storedBlock,
  treeOf,
} from "./peg.js";
import { ADD_SIGNATURE, funded, request, sign, TO_SIGN, toSign, unsigned, update, WAITING } from "./peg-outs.js";
import { account, begin, contract, PEG, type Trap, type TrapText } from "./trap.js";

// Rules of the bridge that no other vector executes.

/** Code that passes its data to the forwarder. */
const TWICE = `CALLDATASIZE 0 0 CALLDATACOPY 0 0 CALLDATASIZE 0 0 ${toData(FORWARDER)} 200000 CALL POP`;

const [FEDERATOR] = FEDERATORS as [Signer];
const MEMBERS = membersOf(FEDERATORS);

/** Elements of a DER signature in forms that only some parsers accept, with or without two integers after them. */
const ENCODINGS = [
  ...["30800201010201010000", "30800201010000", "3080020101020101", "02800000", "3f81000201010201010000"],
  ...["3f1f03020101", "3f8000", "3f00", "30060201010201010a0101", "300a0201010201010a020001", "30090201010201010a0101"],
  ...["30080201010201010a00", "3009020101020101010101", "300a02010102010101020000", "3008020101020101" + "0100"],
  ...[
    "30090201010201010301" + "00",
    "300a0201010201010302" + "0800",
    "30080201010201010300",
    "30090201010201010301" + "01",
  ],
  ...["30090201010201010401ff", "3009020101020101060155", "30080201010201010500", "30090201010201010501" + "00"],
  ...["30090201010201011e0100", "300a0201010201011e020041", "30080201010201014100", "30080201010201018000"],
  ...["300c020101020101240404020102", "300a02010102010124020500", "300e0201010201012480040201020000"],
  ...["300f02010102010128070601550201018000", "300c020101020101280406015502", "300a020101020101280280" + "00"],
  ...["300e020101020101280602010102a000", "30080201010201013000", "300a0201010201013102" + "0500"],
  ...["30840000000602010102" + "0101", "3085000000000602010102" + "0101", "30830000060201010201" + "01"],
  ...["300602010102010100", "3007020200010201" + "01", "300702010102020001", "3006020001020101", "3005020102" + "0100"],
  ...[
    "30080201010201012080",
    "300c02010102010120800201010000",
    "300a0201010201016080" + "0000",
    "30" + "06a1010102" + "0101",
  ],
];

function encodings(): Trap {
  const text = {
    height: 8_900_000,
    rule: "Every element of a signature's sequence must be readable ASN.1, in definite and indefinite form",
    spec: "spec/06b-3 §8",
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  for (const encoded of ENCODINGS) {
    story.call(FEDERATOR, ADD_SIGNATURE, [FEDERATOR.compressed, [fromHex(encoded)], TO_SIGN]);
  }
  story.mine({ patches: federationPatches({ members: MEMBERS, created: 8_000_000, format: 3000 }) });
  return { text, story };
}

/** Signatures of two members with a mode of signing. */
function signed(transaction: Transaction, redeem: Buffer, mode: number): Buffer[] {
  return FEDERATORS.slice(0, 2)
    .toSorted((a, b) => Buffer.compare(a.compressed, b.compressed))
    .map(({ privateKey }) => {
      const hash = transaction.hashForSignature(0, redeem, mode);
      return scripts.signature.encode(Buffer.from(secp256k1.sign(hash, privateKey).signature), mode);
    });
}

/** Transactions that spend, or seem to spend, the last retired federation, in the legacy classification. */
function retiredSpends(): Trap {
  const text = {
    height: 5_000_000,
    rule: "Whether an input spends the last retired script is decided by running the script: signing modes, delay, emergency branch",
    spec: "spec/06b-3 §11.1",
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const retired = { members: MEMBERS, created: 4_000_000, format: 3000 } as const;
  const active = { members: membersOf([USER, FEDERATOR]), created: 4_700_000, format: 2000 } as const;
  const { redeem } = unsigned(story, retired);
  const output = outputOf(story, active);
  const last: Patch = [cellAddress("lastRetiredFedP2SHScript"), encodeRlp([outputOf(story, retired)])];
  const patches = [...federationPatches(active), last];
  const { SIGHASH_ALL, SIGHASH_NONE, SIGHASH_SINGLE, SIGHASH_ANYONECANPAY } = Transaction;
  const emergency = [Buffer.alloc(71, 0x30), Buffer.alloc(71, 0x31)];
  const inputs: { mode?: number; version?: number; sequence?: number; selector?: number }[] = [
    { mode: SIGHASH_ALL },
    { mode: SIGHASH_NONE },
    { mode: SIGHASH_SINGLE },
    { mode: SIGHASH_SINGLE | SIGHASH_ANYONECANPAY },
    { selector: 1, version: 2, sequence: 52_560 },
    { selector: 1, version: 2, sequence: 52_559 },
    { selector: 1, version: 1, sequence: 52_560 },
    { selector: 1, version: 2, sequence: 0x8000cd50 },
    { selector: 1, version: 2, sequence: 0x0040cd50 },
  ];
  for (const [i, { mode, version = 2, sequence = 0xffffffff, selector = 0 }] of inputs.entries()) {
    const transaction = spending(
      new Uint8Array(0),
      [
        [output, COIN],
        [output, COIN],
      ],
      i,
    );
    transaction.version = version;
    transaction.ins[0]!.sequence = sequence;
    const signatures = mode === undefined ? emergency : signed(transaction, redeem, mode);
    transaction.ins[0]!.script = scripts.compile([0, ...signatures, selector === 0 ? 0 : 0x51, redeem]);
    const blocks = { height: 770_000 + 100 * i, isIndexed: true };
    register(story, FEDERATOR, transaction, blocks, i === 0 ? patches : []);
  }
  return { text, story };
}

function namedEvents(): Trap {
  const text = {
    height: 1_600_000,
    rule: "Before RSKIP-146 the events of signatures and of the complete release have their names as topics",
    spec: "spec/06b-3 §11.5",
    cells: [WAITING],
  };
  const story = begin(text, { pre: PEG, signers: FEDERATORS });
  const federation = { members: MEMBERS, created: 1_300_000 };
  const { transaction, redeem } = unsigned(story, federation);
  for (const by of FEDERATORS.slice(0, 2)) sign(story, by, by.compressed, transaction, redeem, TO_SIGN);
  story.mine({ patches: [...federationPatches(federation), toSign(transaction)] });
  return { text, story };
}

function namedCommit(): Trap {
  const members = membersOf(["successor1", "successor2", "successor3"].map(signer));
  const text = {
    height: 2_200_000,
    rule: "Before RSKIP-146 the event of a commit has its name as topic and a list as data",
    spec: "spec/06b-3 §10",
  };
  const story = begin(text, { pre: PEG, signers: [], aliases: authorizers("federationChange", 2) });
  const keys = members.map(({ btc }) => btc).toSorted((a, b) => Buffer.compare(a, b));
  const hash = keccak256(encodeRlp(keys));
  for (const by of AUTHORIZERS.federationChange.slice(0, 2)) story.call(by, "commitFederation(bytes)", [hash]);
  const active = federationPatches({ members: MEMBERS, created: 1_800_000 });
  story.mine({ patches: [...active, ...pendingPatches(members)] });
  return { text, story };
}

const FLYOVER = "registerFastBridgeBtcTransaction(bytes,uint256,bytes,bytes32,bytes,address,bytes,bool)";

/** Flyover registrations by a contract. */
function flyover(): Trap {
  const text = {
    height: 3_700_000,
    rule: "Before RSKIP-293 a flyover registration fails if an output of the transaction has no address",
    spec: "spec/06b-3 §9",
    cells: ["releaseTransactionSetWithTxHash"],
  };
  const story = begin(text, { pre: PEG, signers: [USER] });
  const federation = { members: MEMBERS, created: 3_400_000 };
  const { redeem } = unsigned(story, federation);
  const user = concatBytes(Uint8Array.of(0), hash160(USER.compressed));
  const provider = concatBytes(Uint8Array.of(5), new Uint8Array(20).fill(7));
  const details = keccak256(utf8("details"));
  const prefix = keccak256(concatBytes(details, user, FORWARDER, provider));
  const output = scriptHashOutput(
    redeemHash(concatBytes(Uint8Array.of(32), prefix, Uint8Array.of(0x75), redeem), false),
  );
  const embedded = payments.embed({ data: [Buffer.from("note")] }).output!;
  const payments_: (readonly [Uint8Array, number])[][] = [
    [[output, COIN]],
    [
      [output, COIN],
      [embedded, 0],
    ],
    [
      [output, COIN],
      [fromHex(`0014${"22".repeat(20)}`), 5],
    ],
    [
      [output, COIN],
      [fromHex(`76a914${"22".repeat(20)}88ac`), 5],
    ],
    [[output, 500 * COIN]],
  ];
  for (const [i, outputs] of payments_.entries()) {
    const transaction = spending(byKey(USER.compressed), outputs, i);
    const height = 702_000 + 100 * i;
    const args = [transaction.toBuffer(), BigInt(height), treeOf(transaction), details, user, FORWARDER, provider];
    story.ask(FLYOVER, ...args, i % 2 === 0);
    const patches = parentPatches(transaction.getHash(), { height, isIndexed: true });
    story.mine({ patches: i === 0 ? [...federationPatches(federation), ...patches] : patches });
  }
  return { text, story };
}

/** Contracts that forward a registration by each kind of call, and one that calls the forwarder. */
function internalTransactions(): Trap {
  const text = {
    height: 3_700_000,
    rule: "A refund for a contract's call is named after the hash of the internal transaction, whose nonce and index count calls",
    spec: "spec/04 §8.3",
    cells: ["releaseTransactionSetWithTxHash"],
  };
  const targets = [0xb1, 0xb2, 0xb3, 0xb4].map(account);
  const kinds = ["CALL", "CALLCODE", "DELEGATECALL"].map((kind) => contract(relay(kind)));
  const again = `${TWICE} ${TWICE} 0 0 RETURN`;
  const callers = Object.fromEntries([...kinds, contract(again)].map((callee, i) => [toData(targets[i]!), callee]));
  const story = begin(text, { pre: { ...PEG, ...callers }, signers: [USER] });
  const federation = { members: MEMBERS, created: 3_400_000 };
  const output = outputOf(story, federation);
  for (const [i, to] of [FORWARDER, ...targets].entries()) {
    const transaction = spending(byKey(USER.compressed), [[output, COIN]], i);
    const height = 702_000 + 100 * i;
    const args = [transaction.toBuffer(), BigInt(height), treeOf(transaction)];
    story.call(USER, "registerBtcTransaction(bytes,int256,bytes)", args, 0n, to);
    const patches = parentPatches(transaction.getHash(), { height, isIndexed: true });
    story.mine({ patches: i === 0 ? [...federationPatches(federation), ...patches] : patches });
  }
  return { text, story };
}

/** Header of an easy block of Bitcoin's test network: its work is little, but too much for a test. */
const EASY_HEADER = fromHex(
  "000000203b5d178405c4e6e7dc07d63d6de5db1342044791721654760c00000000000000796cf6743a036300b43fb3abe6703d04a7999751b6d5744f20327d1175320bd37b954e66ffff001d56dc11ce",
);
const PARENT = reverseBytes(EASY_HEADER.subarray(4, 36));
const ITS_TIME = 0x664e957b;
const ITS_HASH = hashOf(EASY_HEADER);

function hashOf(header: Uint8Array): Uint8Array {
  return Buffer.from(hashes.hash256(Buffer.from(header))).reverse();
}

/** A stored block under a hash that need not be its own. */
function block(previous: Uint8Array, height: number, time: number, bits: number): Uint8Array {
  const header = new Block();
  header.version = 1;
  header.prevHash = Buffer.from(previous);
  header.merkleRoot = Buffer.alloc(32, 9);
  header.timestamp = time;
  header.bits = bits;
  return storedBlock(header.toBuffer(true), height, 12);
}

interface Parent {
  height: number;
  time?: number;
  bits?: number;
  /** The block under the same hash for all earlier ones; absent if it is not stored. */
  earlier?: { height: number; time: number; bits: number };
}

/** Submits that header on a parent. */
function difficulty(text: Omit<TrapText, "spec">, parent: Parent): Trap {
  const { height, time = ITS_TIME - 600, bits = 0x1d00ffff, earlier } = parent;
  const about = { ...text, spec: "spec/06b-1 §3.4", cells: [toData(ITS_HASH)] };
  const story = begin(about, { pre: PEG, signers: [FEDERATOR] });
  const loop = new Uint8Array(32).fill(5);
  const head = block(loop, height, time, bits);
  story.call(FEDERATOR, "receiveHeaders(bytes[])", [[EASY_HEADER]]);
  story.mine({
    patches: [
      ...federationPatches({ members: MEMBERS, created: text.height - 100_000 }),
      [PARENT, head],
      // The search for the interval's first block begins at the parent's own hash.
      [hashOf(head.subarray(-80)), head],
      [cellAddress("blockStoreChainHead"), head],
      ...(earlier === undefined ? [] : [[loop, block(loop, earlier.height, earlier.time, earlier.bits)] as Patch]),
    ],
  });
  return { text: about, story };
}

const BOUNDARY = 2016 * 300 - 1;
const [EASY, HARD] = [0x1d00ffff, 0x1c00ffff];

/** Parents at a change of the difficulty on the main network, and whether the header fits. */
const TRANSITIONS: [what: string, parent: Parent][] = [
  ["an interval of two weeks keeps the target", before(1_209_600)],
  ["a long interval cannot exceed the maximum", before(10_000_000)],
  ["a short interval lowers the target", before(600_000)],
  ["a long interval multiplies the target by 4 at most", { ...before(20_000_000), bits: 0x1c3fffc0 }],
  ["a harder parent of a usual interval needs a harder header", { ...before(1_209_600), bits: HARD }],
  ["the interval's first block is missing", { height: BOUNDARY }],
  ["between two changes the target stays", { height: BOUNDARY + 5 }],
  ["between two changes another target is refused", { height: BOUNDARY + 5, bits: HARD }],
];

/** Returns a parent before a change, at the end of an interval of this number of seconds. */
function before(seconds: number): Parent {
  return { height: BOUNDARY, earlier: { height: BOUNDARY - 1, time: ITS_TIME - 600 - seconds, bits: EASY } };
}

const earlier = { height: BOUNDARY + 6, time: ITS_TIME - 9000, bits: HARD };

/** Parents on the test network, between two changes. */
const EASY_BLOCKS: [what: string, parent: Parent][] = [
  ["20 minutes after its parent a block may be easy", { height: BOUNDARY + 7, time: ITS_TIME - 2000, earlier }],
  ["before its parent's time, too", { height: BOUNDARY + 7, time: ITS_TIME + 5, earlier }],
  ["sooner it has its parent's difficulty", { height: BOUNDARY + 7, bits: HARD }],
  ["or that of the last block that is not easy", { height: BOUNDARY + 7, earlier }],
  ["an ancestor that is missing refuses it", { height: BOUNDARY + 7 }],
  ["the search ends at a change", { height: BOUNDARY + 7, earlier: { ...earlier, height: BOUNDARY + 1, bits: EASY } }],
];

const DIFFICULTIES: readonly (() => Trap)[] = [
  ...TRANSITIONS.map(([what, parent]) => () => {
    return difficulty({ height: 3_500_000, rule: `The difficulty of Bitcoin's headers: ${what}` }, parent);
  }),
  ...EASY_BLOCKS.map(([what, parent]) => () => {
    const rule = `The difficulty of the test network's headers: ${what}`;
    return difficulty({ network: "testnet", height: 2_100_000, rule }, parent);
  }),
];

function exceptionalBlock(): Trap {
  const text = {
    network: "testnet" as const,
    height: 5_148_285,
    rule: "In one block of the test network a parent block that is not stored has confirmations",
    spec: "spec/06b-1 §3.8",
  };
  const story = begin(text, { pre: PEG });
  const head = storedBlock(new Uint8Array(80).fill(1), 2_817_200, 12);
  const args = [
    new Uint8Array(32),
    fromHex("00000000e8e7b540df01a7067e020fd7e2026bf86289def2283a35120c1af379"),
    0n,
    [],
  ];
  for (const _ of [0, 1]) {
    story.ask("getBtcTransactionConfirmations(bytes32,bytes32,uint256,bytes32[])", ...args);
    story.mine({ patches: [[cellAddress("blockStoreChainHead"), head]] });
  }
  return { text, story };
}

/** The two halves of a transaction of 64 bytes with one input and one output, in display order. */
function halves(inputScript: number, outputScript: number, value = 5n): [Uint8Array, Uint8Array] {
  const bytes = new Uint8Array(64);
  bytes[4] = 1;
  bytes[41] = inputScript;
  const outputs = 42 + inputScript + 4;
  bytes[outputs] = 1;
  new DataView(bytes.buffer).setBigInt64(outputs + 1, value, true);
  bytes[outputs + 9] = outputScript;
  return [bytes.subarray(0, 32), bytes.subarray(32)];
}

function transactionLikeNodes(): Trap {
  const text = {
    height: 3_700_000,
    rule: "A proof whose two nodes could be a transaction of 64 bytes fails",
    spec: "spec/06b-1 §3.9",
  };
  const story = begin(text, { pre: PEG });
  const [hash, head] = [new Uint8Array(32).fill(6), storedBlock(new Uint8Array(80).fill(1), 702_000, 12)];
  for (const [left, right] of [halves(2, 2), halves(0, 4), halves(1, 2), halves(2, 2, 0n), halves(2, 2, 1n << 60n)]) {
    story.ask("getBtcTransactionConfirmations(bytes32,bytes32,uint256,bytes32[])", left!, hash, 0n, [right!]);
  }
  const index = cellAddress("btcBlockHeight-702000");
  story.mine({
    patches: [
      [hash, head],
      [cellAddress("blockStoreChainHead"), head],
      [index, encodeRlp(hash)],
    ],
  });
  return { text, story };
}

function locator(): Trap {
  const text = {
    height: 700_000,
    rule: "Before RSKIP-88 transactions can ask for the block locator, which fails if an ancestor is missing",
    spec: "spec/06a §2",
  };
  const story = begin(text, { pre: PEG });
  const blocks = { height: 499_969, isIndexed: false };
  const patches = parentPatches(new Uint8Array(32).fill(1), blocks);
  for (const some of [[], patches, patches.slice(60)]) {
    story.call(USER, "getBtcBlockchainBlockLocator()");
    story.call(USER, "getBtcBlockchainBestChainHeight()");
    story.mine({ patches: some });
  }
  return { text, story };
}

function missingAtDepth(): Trap {
  const text = {
    height: 3_700_000,
    rule: "A depth whose block is not stored, and a height without an index, fail",
    spec: "spec/06b-1 §3.7",
  };
  const story = begin(text, { pre: PEG, signers: [USER, FEDERATOR] });
  const head = storedBlock(new Uint8Array(80).fill(1), 702_200, 12);
  const transaction = spending(byKey(USER.compressed), [[fromHex(`a914${"11".repeat(20)}87`), COIN]]);
  for (const depth of [0n, 3n, 1_000_000n, -1n]) story.ask("getBtcBlockchainBlockHeaderByHeight(uint256)", depth);
  story.call(USER, "registerBtcTransaction(bytes,int256,bytes)", [
    transaction.toBuffer(),
    702_000n,
    treeOf(transaction),
  ]);
  story.mine({ patches: [[cellAddress("blockStoreChainHead"), head]] });
  return { text, story };
}

function longHeader(): Trap {
  const text = {
    height: 1_000_000,
    rule: "Before RSKIP-124 a header may be followed by the number of transactions, which must be 0",
    spec: "spec/06b-1 §5.1",
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  for (const tail of ["", "00", "01", "fd0000", "0000000000", "000000000000"]) {
    story.call(FEDERATOR, "receiveHeaders(bytes[])", [[concatBytes(new Uint8Array(80).fill(1), fromHex(tail))]]);
  }
  story.mine({ patches: federationPatches({ members: MEMBERS, created: 700_000, isPlain: true }) });
  return { text, story };
}

function refusedInstructions(): Trap {
  const text = {
    height: 3_700_000,
    rule: "A peg-in with instructions above the locking cap is refunded to its sender, and marked as processed",
    spec: "spec/06b-3 §11.4",
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const federation = { members: MEMBERS, created: 3_400_000 };
  const output = outputOf(story, federation);
  const note = payments.embed({ data: [Buffer.from(`52534b5401${"5a".repeat(20)}`, "hex")] }).output!;
  for (const [i, script] of [byKey(USER.compressed), fromHex("020102")].entries()) {
    const transaction = spending(
      script,
      [
        [output, 400 * COIN],
        [note, 0],
      ],
      i,
    );
    const blocks = { height: 702_000 + 100 * i, isIndexed: true };
    register(story, FEDERATOR, transaction, blocks, i === 0 ? federationPatches(federation) : []);
  }
  return { text, story };
}

function earlySenders(): Trap {
  const text = {
    height: 2_000_000,
    rule: "Before RSKIP-143 a peg-in from another sender than a key is ignored",
    spec: "spec/06b-3 §11.4",
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const federation = { members: MEMBERS, created: 1_700_000 };
  const redeem = payments.p2ms({ m: 2, pubkeys: FEDERATORS.map(({ compressed }) => Buffer.from(compressed)) }).output!;
  const multisig = scripts.compile([0, Buffer.alloc(71, 0x30), Buffer.alloc(71, 0x31), redeem]);
  const transaction = spending(multisig, [[outputOf(story, federation), COIN]]);
  register(story, FEDERATOR, transaction, { height: 600_000, isIndexed: false }, federationPatches(federation));
  return { text, story };
}

function halvedBatch(): Trap {
  const text = {
    height: 6_000_000,
    rule: "A batch that is too big for a transaction is halved until it fits; the event and the burnt rest count the whole queue",
    spec: "spec/06b-3 §5.3",
    cells: ["releaseRequestQueueWithTxHash", "nextPegoutHeight"],
    accounts: [new Uint8Array(20).fill(0xff)],
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const members = [...MEMBERS, ...Array.from({ length: 6 }, (_, i) => sameKeys(signer(`member ${i}`).compressed))];
  const federation = { members, created: 5_500_000, format: 3000 } as const;
  const entries = Array.from({ length: 4 }, (_, i) => [
    new Uint8Array(20).fill(i + 1),
    numberToBytes(49_000_000),
    keccak256(utf8(`request ${i}`)),
  ]);
  const queue: Patch = [cellAddress("releaseRequestQueueWithTxHash"), encodeRlp(entries.flat())];
  const patches = funded(story, federation, Array<number>(200).fill(COIN / 100));
  update(story, FEDERATOR, { patches: [...patches, queue] });
  return { text, story };
}

/** Cells with content that no client writes, each with a method that reads it. */
const DAMAGED: [cell: string, content: string, signature: string, args: readonly (Uint8Array | bigint)[]][] = [
  ["newFederation", "01", "updateCollections()", []],
  ["newFederation", "c0", "updateCollections()", []],
  ["newFederation", "c3010203", "updateCollections()", []],
  ["newFederationFormatVersion", "8203e9", "updateCollections()", []],
  ["newFederationBtcUTXOs", "c101", "updateCollections()", []],
  ["newFederationBtcUTXOs", "b8", "updateCollections()", []],
  ["oldFederation", "ff", "updateCollections()", []],
  ["releaseRequestQueueWithTxHash", "c3010203", "updateCollections()", []],
  ["releaseTransactionSetWithTxHash", "c3010203", "updateCollections()", []],
  [WAITING, "c20102", "updateCollections()", []],
  ["feePerKb", "f8", "releaseBtc()", []],
  ["nextPegoutHeight", "c0", "updateCollections()", []],
  ["svpFundTxHashUnsigned", "01", "updateCollections()", []],
  ["blockStoreChainHead", "0102", "updateCollections()", []],
  ["blockStoreChainHead", "0102", "receiveHeader(bytes)", [new Uint8Array(80)]],
];

function damagedCells(): Trap {
  const text = {
    height: 8_900_000,
    rule: "A method that reads a cell it cannot decode fails, in a state that no network has",
    spec: "spec/06a §1.3",
  };
  const story = begin(text, { pre: PEG, signers: [USER, FEDERATOR] });
  const federation = { members: MEMBERS, created: 8_000_000, format: 3000 } as const;
  const usual = funded(story, federation, [COIN]);
  const names = new Set(DAMAGED.map(([cell]) => cell));
  for (const [cell, content, signature, args] of DAMAGED) {
    if (signature === "releaseBtc()") request(story, 10n ** 18n);
    else story.call(FEDERATOR, signature, args);
    const cleared = [...names].map((name): [Uint8Array, null] => [cellAddress(name), null]);
    story.mine({ patches: [...cleared, ...usual, [cellAddress(cell), fromHex(content)]] });
  }
  return { text, story };
}

export const RARE_BRIDGE: readonly (() => Trap)[] = [
  encodings,
  retiredSpends,
  namedEvents,
  namedCommit,
  flyover,
  internalTransactions,
  ...DIFFICULTIES,
  exceptionalBlock,
  transactionLikeNodes,
  locator,
  missingAtDepth,
  longHeader,
  refusedInstructions,
  earlySenders,
  halvedBatch,
  damagedCells,
];
