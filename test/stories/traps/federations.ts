import { cellAddress } from "@cambium/conformance";
import { encodeRlp, fromHex, keccak256, numberToBytes, toHex, utf8 } from "@cambium/primitives";
import { address as addresses } from "bitcoinjs-lib";
import { AUTHORIZERS, FEDERATORS, type PegStory, type Signer, signer, USER } from "../peg-story.js";
import {
  addressOf,
  authorizers,
  COIN,
  coins,
  federationPatches,
  type Keys,
  membersOf,
  outputOf,
  pendingPatches,
} from "./peg.js";
import { begin, PEG, type Trap } from "./trap.js";

// Traps of federations, votes, the locking cap and the whitelist.

const SUCCESSORS = ["successor1", "successor2", "successor3"].map(signer);
const [FEDERATOR, SUCCESSOR] = [FEDERATORS[0]!, SUCCESSORS[0]!];
const VOTERS = AUTHORIZERS.federationChange;

/** The federation that mainnet's block 2 426 478 replaces, and the one that it commits. */
const NINE = `
  027319afb15481dbeb3c426bcc37f9a30e7f51ceff586936d85548d9395bcc2344
  0294c817150f78607566e961b3c71df53a22022a80acbb982f83c0c8baac040adc
  02a9c6848e302193179ce6479516c2d97f6967e1365c707e3b9d3e0cb683ccb822
  03250c11be0561b1d7ae168b1f59e39cbc1fd1ba3cf4d2140c1a365b2723a2bf93
  0372cd46831f3b6afd4c044d160b7667e8ebf659d6cb51a825a3104df6ee0638c6
  03ae72827d25030818c4947a800187b1fbcc33ae751e248ae60094cc989fb880f6
  03b53899c390573471ba30e5054f78376c5f797fda26dde7a760789f02908cbad2
  03b65cd7c22e70c0823882c6e71ac2c279ed31cbe29cb4a1c00572ce539c0c4573
  03ecd8af1e93c57a1b8c7f917bd9980af798adeb0205e9687865673353eb041e8d`;
const FIFTEEN = `
  0245ef34f5ee218005c9c21227133e8568a4f3f11aeab919c66ff7b816ae1ffeea
  024cd9f00935993695af7e6c35165550a79eeac9fdfe95df83c5fdd8692ba2ef9e
  027319afb15481dbeb3c426bcc37f9a30e7f51ceff586936d85548d9395bcc2344
  0294c817150f78607566e961b3c71df53a22022a80acbb982f83c0c8baac040adc
  02ac1901b6fba2c1dbd47d894d2bd76c8ba1d296d65f6ab47f1c6b22afb53e73eb
  02c6018fcbd3e89f3cf9c7f48b3232ea3638eb8bf217e59ee290f5f0cfb2fb9259
  031aabbeb9b27258f98c2bf21f36677ae7bae09eb2d8c958ef41a20a6e88626d26
  03250c11be0561b1d7ae168b1f59e39cbc1fd1ba3cf4d2140c1a365b2723a2bf93
  0340df69f28d69eef60845da7d81ff60a9060d4da35c767f017b0dd4e20448fb44
  0372cd46831f3b6afd4c044d160b7667e8ebf659d6cb51a825a3104df6ee0638c6
  03ae72827d25030818c4947a800187b1fbcc33ae751e248ae60094cc989fb880f6
  03b53899c390573471ba30e5054f78376c5f797fda26dde7a760789f02908cbad2
  03b65cd7c22e70c0823882c6e71ac2c279ed31cbe29cb4a1c00572ce539c0c4573
  03d789669ec532f756461d3d6d83b316ed0c4272d48dc3b60cce0f494e9a09d3e7
  03ecd8af1e93c57a1b8c7f917bd9980af798adeb0205e9687865673353eb041e8d`;
/** The members that mainnet's block 4 652 781 commits: keys of the parent chain, of the node, and of the third kind. */
const PROPOSED = `
  020ace50bab1230f8002a0bfe619482af74b338cc9e4c956add228df47e6adae1c 0305a99716bcdbb4c0686906e77daf8f7e59e769d1f358a88a23e3552376f14ed2 02be1c54e8582e744d0d5d6a9b8e4a6d810029bcefc30e39b54688c4f1b718c0ee
  0231a395e332dde8688800a0025cccc5771ea1aa874a633b8ab6e5c89d300c7c36 02e3f03aa985357dc356c2a763b44310b22be3b960303a67cde948fcfba97f5309 029963d972f8a4ccac4bad60ed8b20ec83f6a15ca7076e057cccb4a34eed1a14d0
  025093f439fb8006fd29ab56605ffec9cdc840d16d2361004e1337a2f86d8bd2db 02be5d357d62be7b2d42de0343d1297129a0a8b5f6b8bb8c46eefc9504db7b56e1 032706b02f64b38b4ef7c75875aaf65de868c4aa0d2d042f724e16924fa13ffa6c
  026b472f7d59d201ff1f540f111b6eb329e071c30a9d23e3d2bcd128fe73dc254c 0353dda9ae319eab0d3e1235896d58bd9840eadcf76c84244a5d7f60b1c66e45ce 030165892c353cd3752143b5b6c55372528e7279259fe1088d6f4dc957e146e557
  03250c11be0561b1d7ae168b1f59e39cbc1fd1ba3cf4d2140c1a365b2723a2bf93 03250c11be0561b1d7ae168b1f59e39cbc1fd1ba3cf4d2140c1a365b2723a2bf93 03250c11be0561b1d7ae168b1f59e39cbc1fd1ba3cf4d2140c1a365b2723a2bf93
  0357f7ed4c118e581f49cd3b4d9dd1edb4295f4def49d6dcf2faaaaac87a1a0a42 03ff13a966f1e53af37ad1fa3681b1352238f4885c1d4159730f3503bb52d63b20 03ff13a966f1e53af37ad1fa3681b1352238f4885c1d4159730f3503bb52d63b20
  03ae72827d25030818c4947a800187b1fbcc33ae751e248ae60094cc989fb880f6 03d7ff9b1de5cc746a93036b36f8d832ac1bfc64099f8aa37612745770d7fc4961 0300754b9dc92f27cd6702f06c460607a43c16de4531bfdc569bcdecdb12c54ccf
  03e05bf6002b62651378b1954820539c36ca405cbb778c225395dd9ebff6780299 03095aba7a4f1fa0f98728e5230823d603abe517bdfeeb928861a73c4b9404aaf1 02b3e34f0898759a2b5e6acd88281638d41c8da04e1fba13b5b9c3c4bf42bea3b0
  03ecd8af1e93c57a1b8c7f917bd9980af798adeb0205e9687865673353eb041e8d 03f4d76ec9a7a2722c0b06f5f4a489152244c8801e5ff2a43df7fefd75ce8e068f 02a935a8d59b92f9df82265cb983a76cca0308f82e9dc9dd92ff8887e2667d2a38`;

function keysOf(lines: string): Keys[] {
  return lines
    .trim()
    .split("\n")
    .map((line) => {
      const [btc, rsk = btc, mst = btc] = line.trim().split(" ").map(fromHex) as [Uint8Array, Uint8Array?, Uint8Array?];
      return { btc, rsk: rsk!, mst: mst! };
    });
}

const ascii = (text: string): string => toHex(utf8(text));
const hashOf = (members: readonly Keys[]): Uint8Array => keccak256(encodeRlp(members.map(({ btc }) => btc)));

function whitelistOrder(): Trap {
  const value =
    "f8399454f6be1e1ef1dae347a47972103d1e0f8d235c5b843b9aca0094a344a19d31b92bd0f0077eb0553e7b48ce738f34843b9aca00847fffffff";
  const text = {
    height: 3304,
    rule: "The whitelist is sorted by the hash in the address",
    spec: "spec/06b-2 §6",
    cells: ["lockWhitelist"],
    figures: [["the cell after the block", "cells.lockWhitelist", value]] as const,
  };
  const story = begin(text, { from: 3303, pre: PEG, signers: [], aliases: authorizers("whitelist", 1) });
  for (const hash of ["a344a19d31b92bd0f0077eb0553e7b48ce738f34", "54f6be1e1ef1dae347a47972103d1e0f8d235c5b"]) {
    const address = addresses.toBase58Check(Buffer.from(hash, "hex"), 0);
    story.call(AUTHORIZERS.whitelist[0]!, "addLockWhitelistAddress(string,int256)", [address, 1_000_000_000n]);
    story.mine();
  }
  return { text, story };
}

function rewrittenFederation(): Trap {
  const members = keysOf(FIFTEEN);
  const caller = addressOf(members[0]!.btc);
  const items = members.map(({ btc }) => `b868f866${`a1${toHex(btc)}`.repeat(3)}`).join("");
  const text = {
    height: 1_591_009,
    rule: "From RSKIP-123 the first call that loads the federation rewrites its cell with three keys a member and a format",
    spec: "spec/06b-2 §1.5",
    cells: ["newFederation", "newFederationFormatVersion"],
    figures: [
      ["the cell after the block", "cells.newFederation", `f90642845bbe1690830c7085f90636${items}`],
      ["the cell after the block", "cells.newFederationFormatVersion", "8203e8"],
    ] as const,
  };
  const story = begin(text, { pre: PEG, signers: [], aliases: [[USER, caller]] });
  story.call(USER, "updateCollections()");
  const before = encodeRlp([fromHex("5bbe1690"), fromHex("0c7085"), members.map(({ btc }) => btc)]);
  story.mine({ patches: [[cellAddress("newFederation"), before]] });
  return { text, story };
}

function votes(
  story: PegStory,
  signature: string,
  args: readonly Uint8Array[] = [],
  voters = VOTERS.slice(0, 2),
): void {
  for (const by of voters) story.call(by, signature, args);
}

function pendingFormat(): Trap {
  const text = {
    height: 2_132_960,
    rule: "The format of the pending federation is written with it",
    spec: "spec/06b-2 §1.5",
    cells: ["pendingFederation", "pendingFederationFormatVersion"],
    figures: [
      ["the cell after the block", "cells.pendingFederation", "c0"],
      ["the cell after the block", "cells.pendingFederationFormatVersion", "8203e8"],
    ] as const,
  };
  const story = begin(text, { pre: PEG, signers: [], aliases: authorizers("federationChange", 2) });
  votes(story, "createFederation()");
  story.mine();
  return { text, story };
}

function clearedPendingFormat(): Trap {
  const text = {
    height: 2_132_960,
    rule: "A rollback clears the pending federation, but writes its format",
    spec: "spec/06b-2 §1.5",
    cells: ["pendingFederation", "pendingFederationFormatVersion"],
  };
  const story = begin(text, { pre: PEG, signers: [], aliases: authorizers("federationChange", 2) });
  votes(story, "createFederation()");
  votes(story, "rollbackFederation()");
  story.mine();
  return { text, story };
}

function lazyCap(): Trap {
  const text = {
    height: 2_395_450,
    rule: "The locking cap is written when it is first read: by a refused vote, not by an unauthorised one",
    spec: "spec/06b-2 §5",
    cells: ["lockingCap"],
    figures: [["the cell after the block", "cells.lockingCap", "8506fc23ac00"]] as const,
  };
  const story = begin(text, { from: 2_395_449, pre: PEG, aliases: authorizers("lockingCap", 1) });
  story.call(USER, "increaseLockingCap(int256)", [40_000_000_000n]);
  story.mine();
  story.call(AUTHORIZERS.lockingCap[0]!, "increaseLockingCap(int256)", [90_000_000_000n]);
  story.mine();
  return { text, story };
}

function voteOrder(): Trap {
  const keys = [
    "03b65cd7c22e70c0823882c6e71ac2c279ed31cbe29cb4a1c00572ce539c0c4573",
    "03250c11be0561b1d7ae168b1f59e39cbc1fd1ba3cf4d2140c1a365b2723a2bf93",
    "0372cd46831f3b6afd4c044d160b7667e8ebf659d6cb51a825a3104df6ee0638c6",
  ];
  const entries = keys.map((key) => {
    return `f872896164642d6d756c7469f866${`a1${key}`.repeat(3)}d594d41f4d4c7fc8d5fa9468d0c466c9a726397f91b6`;
  });
  const text = {
    height: 2_426_416,
    rule: "Vote specifications are sorted as signed bytes of name and arguments",
    spec: "spec/06b-2 §2",
    cells: ["federationElection"],
    figures: [["the cell after the block", "cells.federationElection", `f9019e${entries.join("")}`]] as const,
  };
  const voter = VOTERS[2]!;
  const aliases = authorizers("federationChange", 3)!.filter(([by]) => by === voter);
  const story = begin(text, { pre: PEG, signers: [], aliases });
  for (const key of [keys[1]!, keys[2]!, keys[0]!].map(fromHex)) {
    votes(story, "addFederatorPublicKeyMultikey(bytes,bytes,bytes)", [key, key, key], [voter]);
  }
  story.mine({ patches: pendingPatches([]) });
  return { text, story };
}

function commitEvent(): Trap {
  const members = keysOf(FIFTEEN);
  const text = {
    height: 2_426_478,
    rule: "From RSKIP-146 the commit of a federation has the Solidity form of its event",
    spec: "spec/06b-3 §10",
    figures: [
      ["gas of the deciding vote", "blocks.0.results.1.gasUsed", "0xf250"],
      ["address of the old federation", "blocks.0.results.1.logs.0.data", ascii("35JUi1FxabGdhygLhnNUEFG4AgvpNMgxK1")],
      ["address of the new federation", "blocks.0.results.1.logs.0.data", ascii("3JYaMbjuKXkURNpLpDDDWMzUcNMt2GreNc")],
      ["height of the activation", "blocks.0.results.1.logs.0.data", "0254eb2"],
      ["keys of the new federation", "blocks.0.results.1.logs.0.data", members.map(({ btc }) => toHex(btc)).join("")],
    ] as const,
  };
  const story = begin(text, { pre: PEG, signers: [], aliases: authorizers("federationChange", 2) });
  votes(story, "commitFederation(bytes)", [hashOf(members)]);
  const old = federationPatches({ members: keysOf(NINE), created: 2_200_000 });
  story.mine({ patches: [...old, ...pendingPatches(members)] });
  return { text, story };
}

/** A commit by the authorizers, with these federations. */
function commit(story: PegStory, members: readonly Keys[], active: Parameters<typeof federationPatches>[0]): void {
  votes(story, "commitFederation(bytes)", [hashOf(members)]);
  story.mine({ patches: [...federationPatches(active), ...pendingPatches(members)] });
}

function emergencyFederation(): Trap {
  const text = {
    height: 4_652_781,
    rule: "A federation that is committed after RSKIP-201 has emergency keys behind a delay of three bytes, and format 2000",
    spec: "spec/06b-2 §1.2",
    cells: ["newFederationFormatVersion", "nextFedCreationBlockHeight", "lastRetiredFedP2SHScript"],
    figures: [
      ["address of the new federation", "blocks.0.results.1.logs.0.data", ascii("3DsneJha6CY6X9gU2M9uEc4nSdbYECB4Gh")],
    ] as const,
  };
  const story = begin(text, { pre: PEG, signers: [], aliases: authorizers("federationChange", 2) });
  commit(story, keysOf(PROPOSED), { members: membersOf(FEDERATORS), created: 2_500_000 });
  return { text, story };
}

function ownFormat(): Trap {
  const text = {
    height: 4_652_783,
    rule: "A call that loads the new federation writes its own format back, and the old one's only if it is changed",
    spec: "spec/06b-2 §1.5",
    cells: ["newFederationFormatVersion", "oldFederationFormatVersion"],
  };
  const story = begin(text, { pre: PEG, signers: FEDERATORS });
  story.call(FEDERATOR, "updateCollections()");
  story.mine({
    patches: [
      ...federationPatches({ members: keysOf(PROPOSED), format: 2000, created: 4_652_781 }),
      ...federationPatches({ members: membersOf(FEDERATORS), created: 2_500_000, role: "old" }),
    ],
  });
  return { text, story };
}

const RETIRING = { members: membersOf(FEDERATORS), role: "old" } as const;

function update(story: PegStory, by: Signer, patches: Parameters<PegStory["mine"]>[0] = {}): void {
  story.call(by, "updateCollections()");
  story.mine(patches);
}

function creationHeight(): Trap {
  const text = {
    height: 4_671_284,
    rule: "The creation height of a federation is promoted once, when 18 500 blocks have passed",
    spec: "spec/06b-2 §3",
    cells: ["activeFedCreationBlockHeight", "nextFedCreationBlockHeight"],
  };
  const story = begin(text, { from: 4_671_280, pre: PEG, signers: [FEDERATOR, SUCCESSOR] });
  const patches = [
    ...federationPatches({ members: membersOf(SUCCESSORS), format: 2000, created: 4_652_781 }),
    ...federationPatches({ ...RETIRING, created: 2_500_000 }),
  ];
  const next = [cellAddress("nextFedCreationBlockHeight"), encodeRlp(numberToBytes(4_652_781))] as const;
  update(story, FEDERATOR, { patches: [...patches, [...next]] });
  update(story, SUCCESSOR, { skip: 3 });
  return { text, story };
}

function migrationWindow(): Trap {
  const text = {
    height: 5_009_384,
    rule: "Between RSKIP-357 and RSKIP-374 a retiring federation stays for 172 800 blocks",
    spec: "spec/06b-2 §3",
    cells: ["oldFederation", "oldFederationFormatVersion"],
  };
  const story = begin(text, { pre: PEG, signers: [SUCCESSOR] });
  const patches = [
    ...federationPatches({ members: membersOf(SUCCESSORS), format: 3000, created: 4_980_299 }),
    ...federationPatches({ ...RETIRING, format: 2000, created: 4_652_781 }),
  ];
  update(story, SUCCESSOR, { patches });
  return { text, story };
}

function migrationEnd(): Trap {
  const text = {
    height: 5_171_600,
    rule: "After the migration the retiring federation is cleared, and format 1000 written for it",
    spec: "spec/06b-2 §3",
    cells: ["oldFederation", "oldFederationFormatVersion", "oldFederationBtcUTXOs", "newFederationFormatVersion"],
  };
  const story = begin(text, { pre: PEG, signers: [SUCCESSOR] });
  const old = { ...RETIRING, format: 2000, created: 4_652_781 } as const;
  const patches = [
    ...federationPatches({ members: membersOf(SUCCESSORS), format: 3000, created: 4_980_299 }),
    ...federationPatches(old),
  ];
  patches.push([cellAddress("oldFederationBtcUTXOs"), coins(outputOf(story, old), [COIN])]);
  update(story, SUCCESSOR, { patches });
  return { text, story };
}

function retiredScript(height: number, rule: string): Trap {
  const text = { height, rule, spec: "spec/06b-2 §2", cells: ["lastRetiredFedP2SHScript"] };
  const story = begin(text, { pre: PEG, signers: [], aliases: authorizers("federationChange", 2) });
  commit(story, keysOf(PROPOSED), { members: membersOf(FEDERATORS), format: 3000, created: height - 100_000 });
  return { text, story };
}

export const FEDERATION_TRAPS: readonly (() => Trap)[] = [
  whitelistOrder,
  rewrittenFederation,
  pendingFormat,
  clearedPendingFormat,
  lazyCap,
  voteOrder,
  commitEvent,
  emergencyFederation,
  ownFormat,
  creationHeight,
  migrationWindow,
  migrationEnd,
  () => retiredScript(5_467_999, "Until RSKIP-377 the last retired script is that of the whole emergency script"),
  () => retiredScript(5_527_682, "From RSKIP-377 the last retired script is that of the members' branch"),
];
