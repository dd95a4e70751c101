import type { BridgeHoldings, BridgeReport, FederationReport, MemberReport } from "@cambium/bridge";
import { toData } from "@cambium/primitives";
import type { Command } from "commander";
import { type Audit, audit, type Difference } from "../bridge/audit.js";
import { addSourceOptions, type BridgeSource, type SourceOptions, withBridge } from "../bridge/bridge-source.js";
import { CliError } from "../errors.js";
import { ParentNode, type ParentScan, parentAddress } from "../miner/parent-node.js";
import { jsonOption, parseNumber } from "../options.js";
import { counted, print, printJson } from "../output.js";

interface ReportOptions extends SourceOptions {
  json?: boolean;
}

interface AuditOptions extends ReportOptions {
  parent: string;
  from: string;
  carried: string;
}

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
export function bridgeCommand(program: Command): void {
  const bridge = program.command("bridge").description("report the state of the bridge to the parent chain");
  for (const part of PARTS) addPart(bridge, part);
  addAudit(bridge);
}

function addPart(bridge: Command, { name, description, select, lines }: Part): void {
  addSourceOptions(bridge.command(name).description(description))
    .addOption(jsonOption())
    .action(async (options: ReportOptions) => {
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

function blockLine({ number, hash }: { number: number; hash: string }): string {
  return `after block ${number} ${hash}`;
}

/** `node-cli bridge audit`: exit status 1 if anything differs. */
function addAudit(bridge: Command): void {
  const command = bridge
    .command("audit")
    .description("compare the bridge with a node of the parent chain, and coins on this chain with locked coins");
  addSourceOptions(command)
    .requiredOption(
      "--parent <url>",
      "JSON-RPC endpoint of a parent-chain node (Bitcoin Core), e.g. http://user:password@127.0.0.1:8332",
    )
    .option("--from <block>", "first block whose events count", "0")
    .option("--carried <wei>", "difference of coins that an audit found at the block before --from", "0")
    .addOption(jsonOption())
    .action(async (options: AuditOptions) => {
      const parent = new ParentNode(parentAddress(options.parent));
      const from = parseNumber("--from", options.from);
      const carried = parseWei("--carried", options.carried);
      await withBridge(options, async (source) => {
        const { LEDGER_EVENTS, pegLedger, reportHoldings } = await import("@cambium/bridge");
        const { network, block } = source;
        const ledger = pegLedger(network, source.logs(from, LEDGER_EVENTS));
        const holdings = reportHoldings(network, block.number, source.state(), ledger);
        const scan = await parent.scan(holdings.scripts, holdings.parentChain.hash);
        const result = audit(holdings, scan, carried);
        if (result.differences.length > 0) process.exitCode = 1;
        const at = { number: block.number, hash: toData(block.hash) };
        if (options.json) return printJson({ block: at, ...auditJson(holdings, scan, result) });
        print(blockLine(at));
        for (const line of auditLines(holdings, scan, result)) print(line);
      });
    });
}

function parseWei(option: string, text: string): bigint {
  if (/^-?\d{1,30}$/.test(text)) return BigInt(text);
  throw new CliError({ code: "INVALID_OPTION", option, value: text, expected: "a whole number of wei" });
}

function auditJson(holdings: BridgeHoldings, { height, standing }: ParentScan, result: Audit): object {
  const { parentChain, underWay: _under, scripts: _scripts, rejected: _rejected, spentBy: _spent, ...sums } = holdings;
  return { parentChain: { ...parentChain, standing, nodeHeight: height }, ...sums, ...result };
}

function auditLines(holdings: BridgeHoldings, { height, standing }: ParentScan, result: Audit): string[] {
  const { parentChain, coins, queued, fees, kept, union, circulating } = holdings;
  const { differences, deposits, underWay } = result;
  const total = (owner: string) => {
    const own = coins.filter((coin) => coin.owner === owner);
    const value = own.reduce((sum, coin) => sum + coin.value, 0n);
    return own.length === 0 ? [] : [row(`${owner} UTXOs`, `${own.length}, ${coin(value)} BTC`)];
  };
  return [
    row("parent chain", `${parentChain.height} ${parentChain.hash}, ${standing} of the node at ${height}`),
    row("coins on this chain", `${circulating} wei`),
    ...total("active"),
    ...total("retiring"),
    ...total("proposed"),
    ...underWay.map(({ txid, stage, returning, mined }) =>
      row("under way", `${txid} ${mined ? "mined" : stage}, returning ${coin(returning)} BTC`),
    ),
    row("queued peg-outs", `${coin(queued)} BTC`),
    row("fees of the federations", `${coin(fees)} BTC`),
    row("kept by the bridge", `${kept} wei`),
    row("union bridge", `${union} wei`),
    ...deposits.map(({ txid, index, value, height, state }) =>
      row(`${state} deposit`, `${txid}:${index} ${coin(value)} BTC at height ${height}`),
    ),
    differences.length === 0 ? "no differences" : counted(differences.length, "difference"),
    ...differences.map((difference) => `  ${describeDifference(difference)}`),
  ];
}

function describeDifference(difference: Difference): string {
  const outpoint = ({ txid, index, value }: { txid: string; index: number; value: bigint }) =>
    `${txid}:${index} of ${coin(value)} BTC`;
  switch (difference.kind) {
    case "balance":
      return difference.wei > 0n
        ? `${difference.wei} wei on this chain without locked coins`
        : `${-difference.wei} wei more are locked than there are coins on this chain`;
    case "missing":
      return `the ${difference.coin.owner} federation's ${outpoint(difference.coin)} is spent or was never mined`;
    case "value":
      return `the ${difference.coin.owner} federation's ${outpoint(difference.coin)} has ${coin(difference.actual)} BTC`;
    case "unspent":
      return `${outpoint(difference)} is unspent, although the bridge registered ${difference.by}, which spends it`;
    case "parent-chain":
      return `the node does not have the bridge's best block ${difference.hash}`;
  }
}

/** An amount with eight decimals. */
function coin(satoshi: bigint): string {
  return `${satoshi / 100_000_000n}.${String(satoshi % 100_000_000n).padStart(8, "0")}`;
}

function row(name: string, value: string | number | bigint): string {
  return `${name.padEnd(26)} ${value}`;
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
  if (retiring !== undefined) lines.push(...federationBlock("retiring", retiring));
  if (next !== undefined) {
    lines.push(...federationBlock("next", next, [row("  active from block", next.activationBlock)]));
  }
  if (proposed !== undefined) {
    const proof = [row("  validation", proposed.validation), row("  validation deadline", proposed.validationEnds)];
    lines.push(...federationBlock("proposed", proposed, proof));
  }
  if (pending !== undefined) lines.push(row("pending federation", pending.hash), ...memberLines(pending.members));
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
    ...waitingForSignatures.map(({ txid, key }) => `  ${txid} signed for ${key}`),
  ];
}
