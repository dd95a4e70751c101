import { NETWORKS } from "@cambium/config";
import { cellAddress } from "@cambium/conformance";
import {
  type AbiValue,
  concatBytes,
  encodeBase58Check,
  encodeRlp,
  fromHex,
  keccak256,
  numberToBytes,
  utf8,
} from "@cambium/primitives";
import { script as scripts, Transaction } from "bitcoinjs-lib";
import { AUTHORIZERS, FEDERATORS, type Signer, signer, USER } from "../peg-story.js";
import { authorizers, COIN, federationPatches, membersOf, type Patch, parentPatches, storedBlock } from "./peg.js";
import { ADD_SIGNATURE, funded, TO_SIGN, toSign, unsigned } from "./peg-outs.js";
import { GETTERS } from "./rare-states.js";
import { begin, PEG, type Trap } from "./trap.js";

// Arguments that no honest caller passes, and methods that only early transactions may call.

const [FEDERATOR] = FEDERATORS as [Signer];
const MEMBERS = membersOf(FEDERATORS);

/** Returns getters that later only local calls may use. */
function earlyGetters(): Trap {
  const height = 700_000;
  const text = { height, rule: "Before RSKIP-88 transactions can call every getter", spec: "spec/06a §2" };
  const story = begin(text, { pre: PEG });
  const head = parentPatches(new Uint8Array(32).fill(1), { height: 600_000, isIndexed: false });
  const federation = federationPatches({ members: MEMBERS, created: height - 45_000, isPlain: true });
  const lonely: Patch = [cellAddress("blockStoreChainHead"), storedBlock(new Uint8Array(80).fill(1), 600_500, 12)];
  const calls: [string, ...AbiValue[]][] = [
    ...GETTERS,
    ["getBtcBlockchainBlockHashAtDepth(int256)", -1n],
    ["getBtcBlockchainBlockHashAtDepth(int256)", 200n],
    ["isBtcTxHashAlreadyProcessed(string)", "AB".repeat(32)],
    ["getFederatorPublicKey(int256)", 5n],
  ];
  for (const patches of [[], [...head, ...federation], [lonely]]) {
    for (const [signature, ...args] of calls) story.call(USER, signature, args);
    story.mine({ patches });
  }
  return { text, story };
}

/** Compact targets: zero, negative, tiny, above the maximum. */
const TARGETS = [
  0, 0x01003456, 0x02008000, 0x03000000, 0x04923456, 0x1d80ffff, 0x1d01ffff, 0x22000001, 0xff123456, 0x03000001,
];

function impossibleTargets(): Trap {
  const text = {
    height: 8_900_000,
    rule: "A header whose target is not between 1 and the maximum is refused, whatever its hash",
    spec: "spec/06b-1 §3.3",
  };
  const story = begin(text, { pre: PEG, signers: [USER, FEDERATOR] });
  for (const bits of TARGETS) {
    const header = new Uint8Array(80).fill(1);
    new DataView(header.buffer).setUint32(72, bits, true);
    story.call(FEDERATOR, "receiveHeaders(bytes[])", [[header]]);
    story.call(USER, "receiveHeader(bytes)", [header]);
  }
  story.mine({ patches: federationPatches({ members: MEMBERS, created: 8_500_000, format: 3000 }) });
  return { text, story };
}

function whitelistArguments(): Trap {
  const text = {
    height: 1_000_000,
    rule: "The whitelist and addresses that it cannot have, and a list with an incomplete entry",
    spec: "spec/06b-2 §6",
    cells: ["lockWhitelist", "unlimitedLockWhitelist"],
  };
  const story = begin(text, { pre: PEG, aliases: authorizers("whitelist", 1) });
  const [by] = AUTHORIZERS.whitelist as [Signer];
  const foreign = encodeBase58Check(concatBytes(Uint8Array.of(111), new Uint8Array(20).fill(3)));
  const short = encodeBase58Check(concatBytes(Uint8Array.of(0), new Uint8Array(5).fill(3)));
  const listed = encodeBase58Check(concatBytes(Uint8Array.of(0), new Uint8Array(20).fill(3)));
  const empty = encodeBase58Check(new Uint8Array(0));
  const lists = [
    [],
    [new Uint8Array(20).fill(3), numberToBytes(5), numberToBytes(0x7fffffff)],
    [numberToBytes(5), numberToBytes(9)],
  ];
  for (const list of lists) {
    for (const address of ["nonsense", "", foreign, short, empty, listed]) {
      story.call(by, "getLockWhitelistEntryByAddress(string)", [address]);
      story.call(by, "removeLockWhitelistAddress(string)", [address]);
      story.call(by, "addOneOffLockWhitelistAddress(string,int256)", [address, 5n]);
      story.call(by, "addUnlimitedLockWhitelistAddress(string)", [address]);
    }
    const cell: Patch | undefined = list.length === 0 ? undefined : [cellAddress("lockWhitelist"), encodeRlp(list)];
    story.mine({ patches: cell === undefined ? [] : [cell] });
  }
  return { text, story };
}

function unionPermissions(): Trap {
  const text = {
    network: "testnet" as const,
    height: 7_700_000,
    rule: "Permissions of the union bridge that do not change have no event",
    spec: "spec/06b-2 §7",
  };
  const by = signer("union permissions authorizer");
  const aliases = [[by, NETWORKS.test.bridge.authorizers.union.permissions]] as const;
  const story = begin(text, { pre: PEG, aliases });
  for (const [request, release] of [
    [true, true],
    [true, false],
    [true, false],
    [false, false],
    [true, true],
  ]) {
    story.call(by, "setUnionBridgeTransferPermissions(bool,bool)", [request!, release!]);
  }
  story.mine();
  return { text, story };
}

/** Returns releases whose inputs do not show which outputs they spend. */
function oddReleases(): Trap {
  const height = 8_900_000;
  const text = {
    height,
    rule: "A release whose input reveals no readable script, or whose value is unknown, cannot be signed",
    spec: "spec/06b-3 §8",
    cells: ["rskTxsWaitingFS"],
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const federation = { members: MEMBERS, created: height - 400_000, format: 3000 } as const;
  const { transaction, redeem } = unsigned(story, federation);
  const der = fromHex("3006020101020101");
  const withInput = (script: Buffer, witness: Buffer[] = []) => {
    const copy = transaction.clone();
    copy.ins[0]!.script = script;
    copy.ins[0]!.witness = witness;
    return copy;
  };
  const odd: Transaction[] = [
    withInput(Buffer.alloc(0)),
    withInput(scripts.compile([0, 0x51])),
    withInput(scripts.compile([0, Buffer.from("0102", "hex")])),
    withInput(Buffer.alloc(0), [Buffer.alloc(0), redeem]),
    new Transaction(),
  ];
  for (const [i, each] of odd.entries()) {
    const patches = i === 0 ? funded(story, federation, [COIN]) : [];
    for (const signatures of [[der], [der, der], []]) {
      story.call(FEDERATOR, ADD_SIGNATURE, [FEDERATOR.compressed, signatures, TO_SIGN]);
    }
    story.mine({ patches: [...patches, toSign(each)] });
  }
  return { text, story };
}

function repeatedEntries(): Trap {
  const height = 8_900_000;
  const text = {
    height,
    rule: "A batch with a repeated request, which no network has, pays each of them",
    spec: "spec/06b-3 §5.3",
    cells: ["releaseRequestQueueWithTxHash", "releaseTransactionSetWithTxHash"],
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const federation = { members: MEMBERS, created: height - 400_000, format: 3000 } as const;
  const entry = [new Uint8Array(20).fill(5), numberToBytes(COIN / 4), keccak256(utf8("request"))];
  const queue: Patch = [cellAddress("releaseRequestQueueWithTxHash"), encodeRlp([...entry, ...entry])];
  for (const patches of [[...funded(story, federation, [COIN, COIN]), queue], [queue]]) {
    story.call(FEDERATOR, "updateCollections()");
    story.mine({ patches, skip: 400 });
  }
  return { text, story };
}

export const RARE_ARGUMENTS: readonly (() => Trap)[] = [
  earlyGetters,
  impossibleTargets,
  whitelistArguments,
  unionPermissions,
  oddReleases,
  repeatedEntries,
];
