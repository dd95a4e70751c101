import type { BridgeReport, FederationReport, MemberReport, UnsignedReport } from "@cambium/bridge";
import { append, toData } from "@cambium/primitives";
import type { Command } from "commander";
import { type BridgeSource, SOURCE_FLAGS, withBridge } from "../bridge/bridge-source.js";
import { blockLine, coin, row } from "../bridge/text.js";
import { withFlags } from "../flags/command-flags.js";
import { JSON_OUTPUT } from "../options.js";
import { print, printJson } from "../output.js";
import { bridgeAuditCommand } from "./bridge-audit.js";
import { bridgeWatchCommand } from "./bridge-watch.js";

/** A part of the report, as JSON and as text. */
interface Part {
  name: string;
  description: string;
  select(report: BridgeReport): object;
  lines(report: BridgeReport): string[];
}

const PARTS: readonly Part[] = [
  {
    name: "state",
    description: "parent chain, locking cap, fee, balance, pending peg-outs and union bridge after the best block",
    select: ({ federations, pegOuts, ...rest }) => ({
      ...rest,
      federation: federations.active.address,
      pegOuts: {
        queued: pegOuts.queued.length,
        waitingForConfirmations: pegOuts.waitingForConfirmations.length,
        waitingForSignatures: pegOuts.waitingForSignatures.length,
      },
    }),
    lines: stateLines,
  },
  {
    name: "federation",
    description: "active, retiring, next, proposed and pending federations after the best block",
    select: ({ federations }) => federations,
    lines: federationLines,
  },
  {
    name: "pegouts",
    description: "peg-outs queued, awaiting confirmations and awaiting signatures after the best block",
    select: ({ pegOuts, nextPegOutBlock }) => ({ nextPegOutBlock, ...pegOuts }),
    lines: pegOutLines,
  },
];

/** `node-cli bridge`: reports the state of the two-way peg. */
export function bridgeCommand(bridge: Command): void {
  for (const part of PARTS) addPart(bridge, part);
  bridgeAuditCommand(bridge);
  bridgeWatchCommand(bridge);
}

function addPart(bridge: Command, { name, description, select, lines }: Part): void {
  const command = bridge.command(name).description(description);
  withFlags(command, { ...SOURCE_FLAGS, json: JSON_OUTPUT }, async (options) => {
    const { block, report } = await withBridge(options, readReport);
    if (options.json) return printJson({ block, ...select(report) });
    print(blockLine(block));
    for (const line of lines(report)) print(line);
  });
}

async function readReport({ network, block, state }: BridgeSource) {
  const { reportBridge } = await import("@cambium/bridge");
  const { number, hash } = block;
  return { block: { number, hash: toData(hash) }, report: reportBridge(network, number, state()) };
}

function stateLines(report: BridgeReport): string[] {
  const { parentChain, coins, pegOuts, union, federations } = report;
  const { active, retiring } = coins;
  const allowed = (isAllowed: boolean) => (isAllowed ? "enabled" : "disabled");
  return [
    row("parent chain", `${parentChain.height} ${parentChain.hash}`),
    row("locking cap", `${coin(report.lockingCap)} BTC`),
    row("fee per kB", `${report.feePerKb} satoshi`),
    row("bridge balance", `${report.balance} wei`),
    row("active federation", federations.active.address),
    row("active UTXOs", `${active.count}, ${coin(active.value)} BTC`),
    ...(retiring === undefined ? [] : [row("retiring UTXOs", `${retiring.count}, ${coin(retiring.value)} BTC`)]),
    row("queued peg-outs", pegOuts.queued.length),
    row("awaiting confirmations", pegOuts.waitingForConfirmations.length),
    row("awaiting signatures", pegOuts.waitingForSignatures.length),
    row("next batch from block", report.nextPegOutBlock),
    row("union bridge", union.address),
    row("union bridge cap", `${union.lockingCap} wei`),
    row("union bridge balance", `${union.transferred} wei`),
    row("union requests, releases", `${allowed(union.requestsAllowed)}, ${allowed(union.releasesAllowed)}`),
  ];
}

function memberLines(members: readonly MemberReport[]): string[] {
  return members.flatMap(({ btc, rsk, mst }, i) => [
    row(`  member ${i}`, `btc ${btc}`),
    ...(rsk === btc ? [] : [row("", `rsk ${rsk}`)]),
    ...(mst === rsk ? [] : [row("", `mst ${mst}`)]),
  ]);
}

function federationBlock(title: string, federation: FederationReport, more: readonly string[] = []): string[] {
  const { address, format, members, threshold, creationBlock, creationTimeMillis } = federation;
  return [
    row(`${title} federation`, address),
    row("  required signatures", `${threshold} of ${members.length}`),
    row("  script format", format),
    row("  created", `block ${creationBlock}, ${new Date(creationTimeMillis).toISOString()}`),
    ...more,
    ...memberLines(members),
  ];
}

function federationLines({ federations }: BridgeReport): string[] {
  const { active, retiring, next, proposed, pending } = federations;
  const lines = federationBlock("active", active);
  if (retiring !== undefined) append(lines, federationBlock("retiring", retiring));
  if (next !== undefined) {
    append(lines, federationBlock("next", next, [row("  active from block", next.activationBlock)]));
  }
  if (proposed !== undefined) {
    const proof = [row("  validation", proposed.validation), row("  validation deadline", proposed.validationEnds)];
    append(lines, federationBlock("proposed", proposed, proof));
  }
  if (pending !== undefined) {
    append(lines, [row("pending federation", pending.hash), ...memberLines(pending.members)]);
  }
  return lines;
}

function pegOutLines({ pegOuts, nextPegOutBlock }: BridgeReport): string[] {
  const { queued, waitingForConfirmations, waitingForSignatures } = pegOuts;
  return [
    `queued: ${queued.length}, next batch from block ${nextPegOutBlock}`,
    ...queued.map(
      ({ destination, amount, requestedBy }) =>
        `  ${coin(amount)} BTC to ${destination}${requestedBy === undefined ? "" : ` requested by ${requestedBy}`}`,
    ),
    `awaiting confirmations: ${waitingForConfirmations.length}`,
    ...waitingForConfirmations.map(
      ({ txid, creationBlock, confirmedAt }) =>
        `  ${txid} created in block ${creationBlock}, confirmed in block ${confirmedAt}`,
    ),
    `awaiting signatures: ${waitingForSignatures.length}`,
    ...waitingForSignatures.map((release) => `  ${release.txid} signed for ${release.key}: ${signatures(release)}`),
  ];
}

function signatures({ signedBy, required }: UnsignedReport): string {
  return `${signedBy.length} of ${required} signatures`;
}
