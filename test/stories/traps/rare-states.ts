import { cellAddress } from "@cambium/conformance";
import { type AbiValue, encodeRlp, fromHex, hash160, keccak256, numberToBytes, utf8 } from "@cambium/primitives";
import { payments, script as scripts } from "bitcoinjs-lib";
import { FEDERATORS, type Signer, signer, USER } from "../peg-story.js";
import {
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
} from "./peg.js";
import { ADD_SIGNATURE, funded, request, TO_SIGN, unsigned, update, WAITING } from "./peg-outs.js";
import { begin, PEG, type Trap, type TrapText } from "./trap.js";

// States of the bridge that no other vector has.

const [FEDERATOR] = FEDERATORS as [Signer];
const MEMBERS = membersOf(FEDERATORS);
const SUCCESSORS = membersOf(["successor1", "successor2"].map(signer));
const QUEUES = ["releaseRequestQueue", "releaseRequestQueueWithTxHash"];
const RELEASES = ["releaseTransactionSet", "releaseTransactionSetWithTxHash"];
const SPENT = [...QUEUES, ...RELEASES, "newFederationBtcUTXOs", "oldFederationBtcUTXOs", "nextPegoutHeight"];
const ZERO = new Uint8Array(32);
const HASH = "ab".repeat(32);

export const GETTERS: [signature: string, ...args: AbiValue[]][] = [
  ["getBtcBlockchainBestChainHeight()"],
  ["getBtcBlockchainInitialBlockHeight()"],
  ["getBtcBlockchainBestBlockHeader()"],
  ["getBtcBlockchainBlockHashAtDepth(int256)", 0n],
  ["getBtcBlockchainBlockHashAtDepth(int256)", 5n],
  ["getBtcBlockchainBlockHeaderByHash(bytes32)", ZERO],
  ["getBtcBlockchainParentBlockHeaderByHash(bytes32)", ZERO],
  ["getBtcBlockchainBlockHeaderByHeight(uint256)", 1n],
  ["isBtcTxHashAlreadyProcessed(string)", HASH],
  ["getBtcTxHashProcessedHeight(string)", HASH],
  ["getBtcTxHashProcessedHeight(string)", "no hash"],
  ["hasBtcBlockCoinbaseTransactionInformation(bytes32)", ZERO],
  ["getFederationAddress()"],
  ["getFederationSize()"],
  ["getFederationThreshold()"],
  ["getFederatorPublicKey(int256)", 0n],
  ["getFederatorPublicKeyOfType(int256,string)", 1n, "rsk"],
  ["getFederationCreationTime()"],
  ["getFederationCreationBlockNumber()"],
  ["getRetiringFederationAddress()"],
  ["getRetiringFederationSize()"],
  ["getRetiringFederationThreshold()"],
  ["getRetiringFederatorPublicKey(int256)", 0n],
  ["getRetiringFederatorPublicKeyOfType(int256,string)", 0n, "mst"],
  ["getRetiringFederationCreationTime()"],
  ["getRetiringFederationCreationBlockNumber()"],
  ["getPendingFederationHash()"],
  ["getPendingFederationSize()"],
  ["getPendingFederatorPublicKey(int256)", 0n],
  ["getPendingFederatorPublicKeyOfType(int256,string)", 0n, "btc"],
  ["getProposedFederationAddress()"],
  ["getProposedFederationSize()"],
  ["getStateForBtcReleaseClient()"],
  ["getStateForDebugging()"],
  ["getStateForSvpClient()"],
  ["getQueuedPegoutsCount()"],
  ["getNextPegoutCreationBlockNumber()"],
  ["getEstimatedFeesForNextPegOutEvent()"],
  ["getEstimatedFeesForPegOutAmount(uint256)", 10n ** 18n],
  ["getEstimatedFeesForPegOutAmount(uint256)", 10n ** 22n],
  ["getFeePerKb()"],
  ["getLockingCap()"],
  ["getMinimumLockTxValue()"],
  ["getActivePowpegRedeemScript()"],
  ["getUnionBridgeContractAddress()"],
  ["getUnionBridgeLockingCap()"],
];

const [LAST_OF_MAIN, LAST_OF_TEST] = [8_900_000, 7_700_000];

/** All getters, called by a contract, in a new state and in one with federations, a queue and coins. */
function getters(network: "main" | "testnet", height: number): Trap {
  const text = {
    network,
    height,
    rule: `Getters on ${network === "main" ? "main" : "the test network"}, in a state without cells and in one with a retiring federation`,
    spec: "spec/06a §2",
  };
  const story = begin(text, { pre: PEG });
  const isLast = height === LAST_OF_MAIN || height === LAST_OF_TEST;
  const format = height > 6_000_000 || isLast ? 3000 : 1000;
  const active = { members: MEMBERS, created: height - 45_000, format } as const;
  const retiring = { members: SUCCESSORS, created: height - 300_000, role: "old" } as const;
  const entries = [hash160(USER.compressed), numberToBytes(COIN)];
  const patches = [
    ...funded(story, active, [COIN, 2 * COIN, 3 * COIN]),
    ...funded(story, retiring, [COIN]),
    ...parentPatches(ZERO, { height: 900_000, isIndexed: false, workBytes: isLast ? 32 : 12 }),
    ...pendingPatches(SUCCESSORS),
    [cellAddress(QUEUES[0]!), encodeRlp(entries)],
    [cellAddress(QUEUES[1]!), encodeRlp([...entries, keccak256(utf8("request"))])],
  ] as Patch[];
  for (const state of [[], patches]) {
    for (const [signature, ...args] of GETTERS) story.ask(signature, ...args);
    story.mine({ patches: state });
  }
  return { text, story };
}

const HEIGHTS: [network: "main" | "testnet", height: number][] = [
  ["main", 2_100_000],
  ["main", 3_700_000],
  ["main", 4_700_000],
  ["main", 6_300_000],
  ["main", LAST_OF_MAIN],
  ["testnet", 2_590_000],
  ["testnet", LAST_OF_TEST],
];

/** A request and the update that pays it, or cannot. */
function payment(
  text: TrapText,
  coins: readonly number[],
  more: readonly Patch[] = [],
  format: 1000 | 3000 = 1000,
): Trap {
  const about = { ...text, spec: "spec/06b-3 §5.3", cells: SPENT };
  const story = begin(about, { pre: PEG, signers: [USER, FEDERATOR] });
  const federation = { members: MEMBERS, created: text.height - 300_000, format };
  request(story, 50_000_000n * SATOSHI);
  story.mine({ patches: [...funded(story, federation, coins), ...more] });
  update(story, FEDERATOR);
  update(story, FEDERATOR);
  return { text: about, story };
}

const QUEUED = [hash160(USER.compressed), numberToBytes(COIN / 4)];
const BEFORE_RSKIP146: Patch = [cellAddress(QUEUES[0]!), encodeRlp(QUEUED)];

const PAYMENTS: readonly (() => Trap)[] = (
  [
    [2_100_000, "Before RSKIP-146 a request has no hash", [COIN, COIN], []],
    [3_000_000, "Requests without a hash are paid before those with one", [COIN, COIN], [BEFORE_RSKIP146]],
    [3_000_000, "A request that cannot be paid stays in the queue", [1_000_000], []],
    [4_700_000, "A batch that cannot be paid stays in the queue", [1_000_000], []],
    [6_300_000, "A batch of the time with events of batches", [COIN, COIN], []],
    [6_300_000, "A batch with a request from before RSKIP-146 fails", [COIN, COIN], [BEFORE_RSKIP146]],
  ] as const
).map(([height, rule, coins, more]) => () => {
  return payment({ height, rule, spec: "" }, coins, more, height > 6_000_000 ? 3000 : 1000);
});

function senders(height: number): Trap {
  const text = {
    height,
    rule: "A peg-in of an unknown sender, and refunds that their amount does not cover",
    spec: "spec/06b-3 §11.4",
    cells: RELEASES,
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const isLast = height === LAST_OF_MAIN;
  const federation = { members: MEMBERS, created: height - 300_000, format: isLast ? 3000 : 1000 } as const;
  const keys = FEDERATORS.map(({ compressed }) => Buffer.from(compressed));
  const redeem = payments.p2ms({ m: 2, pubkeys: keys }).output!;
  const multisig = scripts.compile([0, Buffer.alloc(71, 0x30), Buffer.alloc(71, 0x31), redeem]);
  const fee: Patch = [cellAddress("feePerKb"), encodeRlp(numberToBytes(5_000_000))];
  const inputs = [fromHex("020102"), fromHex(""), fromHex("51"), multisig];
  for (const [i, script] of inputs.entries()) {
    const transaction = spending(script, [[outputOf(story, federation), 1_000_000]], i);
    const isIndexed = height > 3_614_800;
    const blocks = { height: (isLast ? 902_000 : 702_000) + 200 * i, isIndexed, workBytes: isLast ? 32 : 12 } as const;
    register(story, FEDERATOR, transaction, blocks, i === 0 ? [...federationPatches(federation), fee] : []);
  }
  return { text, story };
}

function proposalSignatures(): Trap {
  const text = {
    height: LAST_OF_MAIN,
    rule: "A proposed federation's proof is signed by its members, with as many signatures as inputs",
    spec: "spec/06b-3 §7",
    cells: ["svpSpendTxWaitingForSignatures", WAITING],
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const active = { members: MEMBERS, created: 8_500_000, format: 3000 } as const;
  const proposed = { members: SUCCESSORS, created: LAST_OF_MAIN - 100, format: 3000 } as const;
  const [cell] = federationPatches(proposed);
  const { transaction } = unsigned(story, proposed);
  const der = fromHex("3006020101020101");
  const [member] = SUCCESSORS;
  story.call(FEDERATOR, ADD_SIGNATURE, [FEDERATOR.compressed, [der], TO_SIGN]);
  story.call(FEDERATOR, ADD_SIGNATURE, [member!.btc, [der, der], TO_SIGN]);
  story.call(FEDERATOR, ADD_SIGNATURE, [member!.btc, [der], TO_SIGN]);
  story.mine({
    patches: [
      ...federationPatches(active),
      [cellAddress("proposedFederation"), cell![1]],
      [cellAddress("proposedFederationFormatVersion"), encodeRlp(numberToBytes(3000))],
      [cellAddress("svpSpendTxWaitingForSignatures"), encodeRlp([TO_SIGN, transaction.toBuffer()])],
    ],
  });
  return { text, story };
}

function lateFund(): Trap {
  const text = {
    height: LAST_OF_MAIN,
    rule: "A fund of a proof that is registered when no federation is proposed is only a migration",
    spec: "spec/06b-3 §7",
    cells: ["svpFundTxHashUnsigned", "svpFundTxSigned", "newFederationBtcUTXOs"],
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const federation = { members: MEMBERS, created: 8_500_000, format: 3000 } as const;
  const { transaction } = unsigned(story, federation);
  transaction.addOutput(outputOf(story, federation), COIN);
  const id = Buffer.from(transaction.getHash()).reverse();
  const fund: Patch = [cellAddress("svpFundTxHashUnsigned"), encodeRlp(id)];
  const blocks = { height: 902_000, isIndexed: true, workBytes: 32 } as const;
  register(story, FEDERATOR, transaction, blocks, [...federationPatches(federation), fund]);
  return { text, story };
}

function headersGas(): Trap {
  const text = {
    height: 1_600_000,
    rule: "Between RSKIP-124 and RSKIP-132 anyone may submit headers, and each one but the first costs 1 650 more",
    spec: "spec/06a §3",
  };
  const story = begin(text, { pre: PEG });
  for (const count of [0, 1, 2, 5]) {
    story.call(USER, "receiveHeaders(bytes[])", [Array.from({ length: count }, () => new Uint8Array(80).fill(1))]);
  }
  story.mine();
  return { text, story };
}

function earlyConfirmations(): Trap {
  const text = {
    height: 2_100_000,
    rule: "Before RSKIP-143 a branch that does not lead to the block's root has no witness root to compare",
    spec: "spec/06b-1 §3.8",
  };
  const story = begin(text, { pre: PEG });
  const root = new Uint8Array(32).fill(8);
  const patches = parentPatches(root, { height: 600_000, isIndexed: false });
  const method = "getBtcTransactionConfirmations(bytes32,bytes32,uint256,bytes32[])";
  for (const transaction of [root, ZERO]) story.ask(method, transaction, patches[0]![0], 0n, []);
  story.ask(method, ZERO, patches[5]![0], 1n, [root]);
  story.mine({ patches: [...patches, ...federationPatches({ members: MEMBERS, created: 1_800_000 })] });
  return { text, story };
}

function union(): Trap {
  const text = {
    network: "testnet" as const,
    height: LAST_OF_TEST,
    rule: "The union bridge may not return while returns are disabled; strangers may change nothing",
    spec: "spec/06b-2 §7",
  };
  const story = begin(text, { pre: PEG });
  const hashed = (name: string) => keccak256(utf8(name));
  story.call(USER, "releaseUnionBridgeRbtc()", [], SATOSHI);
  story.call(USER, "requestUnionBridgeRbtc(uint256)", [SATOSHI]);
  story.call(USER, "setUnionBridgeTransferPermissions(bool,bool)", [true, true]);
  story.call(USER, "setUnionBridgeContractAddressForTestnet(address)", [USER.address]);
  story.call(USER, "increaseUnionBridgeLockingCap(uint256)", [1n]);
  story.ask("getUnionBridgeContractAddress()");
  story.mine({
    patches: [
      [hashed("unionBridgeContractAddress"), encodeRlp(USER.address)],
      [hashed("unionBridgeReleaseEnabled"), encodeRlp(fromHex(""))],
    ],
  });
  return { text, story };
}

export const RARE_STATES: readonly (() => Trap)[] = [
  ...HEIGHTS.map(
    ([network, height]) =>
      () =>
        getters(network, height),
  ),
  ...PAYMENTS,
  ...[2_100_000, 3_700_000, LAST_OF_MAIN].map((height) => () => senders(height)),
  proposalSignatures,
  lateFund,
  headersGas,
  earlyConfirmations,
  union,
];
