import { cellAddress } from "@cambium/conformance";
import { encodeRlp, keccak256, numberToBytes, utf8 } from "@cambium/primitives";
import { FEDERATORS, type PegStory, type Signer, signer, USER } from "../peg-story.js";
import { COIN, coins, type FederationCell, federationPatches, membersOf, outputOf, SATOSHI } from "../traps/peg.js";
import { funded, request, update } from "../traps/peg-outs.js";
import { begin, PEG, type Trap } from "../traps/trap.js";

// Peg-outs and migrations of the upgrade Cardamom. There are as many members as in the genesis federation of the local
// network: every version of RSKIP-378's size is then the same.

const [FEDERATOR] = FEDERATORS as [Signer];
const MEMBERS = membersOf(FEDERATORS);
const SUCCESSORS = membersOf(["successor1", "successor2", "successor3"].map(signer));
const HEIGHT = 10_000;
const QUEUE = "releaseRequestQueueWithTxHash";
const RELEASES = "releaseTransactionSetWithTxHash";
const BURNT = new Uint8Array(20).fill(0xff);
const FORMAT = 4000;

function batch(rule: string, requests: readonly number[], values: readonly number[], feePerKb = 5000): Trap {
  const text = {
    network: "cardamom" as const,
    height: HEIGHT,
    rule,
    spec: "spec/06b-3 §5.3",
    cells: [QUEUE, RELEASES, "nextPegoutHeight", "newFederationBtcUTXOs"],
    accounts: [BURNT],
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const federation = { members: MEMBERS, created: HEIGHT - 5000, format: FORMAT } as const;
  const entries = requests.flatMap((amount, i) => [
    new Uint8Array(20).fill(i + 1),
    numberToBytes(amount),
    keccak256(utf8(`request ${i}`)),
  ]);
  const patches = [
    ...funded(story, federation, values),
    [cellAddress(QUEUE), encodeRlp(entries)] as [Uint8Array, Uint8Array],
    [cellAddress("feePerKb"), encodeRlp(numberToBytes(feePerKb))] as [Uint8Array, Uint8Array],
  ];
  update(story, FEDERATOR, { patches });
  update(story, FEDERATOR);
  update(story, FEDERATOR);
  return { text, story };
}

function estimates(feePerKb: number): Trap {
  const text = {
    network: "cardamom" as const,
    height: HEIGHT,
    rule: "From RSKIP-378 fees of peg-outs are estimated by virtual size, and with them the smallest request",
    spec: "spec/06b-3 §6.5",
    cells: [QUEUE],
  };
  const story = begin(text, { pre: PEG, signers: [USER, FEDERATOR] });
  const federation = { members: MEMBERS, created: HEIGHT - 5000, format: FORMAT } as const;
  const fee: [Uint8Array, Uint8Array] = [cellAddress("feePerKb"), encodeRlp(numberToBytes(feePerKb))];
  ask(story);
  story.mine({ patches: [...funded(story, federation, [COIN, COIN]), fee] });
  for (const size of [312, 344, 400, 430, 450]) {
    const minimum = Math.floor((feePerKb * size) / 1000);
    for (const more of [-1, 0]) request(story, BigInt(minimum + Math.floor(minimum / 5) + more) * SATOSHI);
  }
  story.mine();
  ask(story);
  story.mine();
  return { text, story };
}

function ask(story: PegStory): void {
  story.ask("getEstimatedFeesForNextPegOutEvent()");
  for (const amount of [1n, 400_000n, 10_000_000n, 300_000_000n]) {
    story.ask("getEstimatedFeesForPegOutAmount(uint256)", amount * SATOSHI);
  }
}

const MIGRATION_AGE = 150 + 15;

function migration(rule: string, values: readonly number[], feePerKb = 5000, age = MIGRATION_AGE + 1): Trap {
  const text = {
    network: "cardamom" as const,
    height: HEIGHT,
    rule,
    spec: "spec/06b-3 §5.2",
    cells: [RELEASES, "oldFederation", "oldFederationBtcUTXOs"],
  };
  const story = begin(text, { pre: PEG, signers: [FEDERATOR] });
  const active: FederationCell = { members: SUCCESSORS, created: HEIGHT - age, format: FORMAT };
  const retiring: FederationCell = { members: MEMBERS, created: HEIGHT - 5000, format: FORMAT, role: "old" };
  const patches = [
    ...federationPatches(active),
    ...federationPatches(retiring),
    [cellAddress("oldFederationBtcUTXOs"), coins(outputOf(story, retiring), values)] as [Uint8Array, Uint8Array],
    [cellAddress("feePerKb"), encodeRlp(numberToBytes(feePerKb))] as [Uint8Array, Uint8Array],
  ];
  update(story, FEDERATOR, { patches });
  update(story, FEDERATOR);
  return { text, story };
}

const EVEN = "From RSKIP-455 a migration of 1 000 coins or more has fifty outputs, as even as possible";

export const CARDAMOM: readonly (() => Trap)[] = [
  () =>
    batch(
      "From RSKIP-378 a batch above 90 000 virtual bytes is halved, and its event counts the paid requests only",
      Array<number>(4).fill(49_000_000),
      Array<number>(700).fill(300_000),
    ),
  () =>
    batch(
      "A halved batch burns only what its own requests exceed",
      [149_999_900, 149_999_900],
      Array<number>(1000).fill(300_000),
      5000,
    ),
  () =>
    batch("One request above 90 000 virtual bytes stays in the queue", [200_000_000], Array<number>(700).fill(300_000)),
  () => batch("Change below the dust limit is raised, and the difference is burnt", [99_999_800], [COIN, COIN]),
  () => estimates(5000),
  () => estimates(500_000),
  () => migration("From RSKIP-455 a migration of less than 40 coins has one output", [20 * COIN, 20 * COIN - 1]),
  () => migration("From RSKIP-455 a migration of 40 coins has two outputs", [40 * COIN]),
  () => migration("The last output of a migration has what is beyond a multiple of 20 coins", [59 * COIN, 3, COIN - 4]),
  () => migration("Outputs of 20 coins below 1 000 coins", [999 * COIN, COIN - 1]),
  () => migration("From RSKIP-455 a migration has at most 150 inputs", Array<number>(160).fill(COIN)),
  () =>
    migration("From RSKIP-455 a migration that does not cover its fee fails without an error", [2000, 1000], 5_000_000),
  () =>
    migration(
      "After the time of migrations one that fails leaves the federation retired",
      [2000, 1000],
      5_000_000,
      400,
    ),
  () => migration("After the time of migrations an empty federation is retired", [], 5000, 400),
  () => migration(EVEN, [1000 * COIN]),
  () => migration(EVEN, [1234 * COIN, 56_789_012]),
];
