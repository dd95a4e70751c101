import type { BridgeHoldings } from "@cambium/bridge";
import { toData } from "@cambium/primitives";
import type { Command } from "commander";
import { type Audit, audit, type Difference } from "../bridge/audit.js";
import { SOURCE_FLAGS, withBridge } from "../bridge/bridge-source.js";
import { blockLine, coin, row } from "../bridge/text.js";
import { invalid } from "../errors.js";
import { withFlags } from "../flags/command-flags.js";
import { integer, parsed, text } from "../flags/flag.js";
import { ParentNode, type ParentScan, parentAddress } from "../miner/parent-node.js";
import { JSON_OUTPUT } from "../options.js";
import { counted, print, printJson } from "../output.js";

const FLAGS = {
  ...SOURCE_FLAGS,
  parent: text(
    "url",
    "JSON-RPC endpoint of a parent-chain node (Bitcoin Core), e.g. http://user:password@127.0.0.1:8332",
    { isRequired: true },
  ),
  from: integer("block", "first block whose events count", { default: "0" }),
  carried: parsed("wei", "difference of coins that an audit found at the block before --from", parseDifference, {
    default: "0",
  }),
  json: JSON_OUTPUT,
};

/** `node-cli bridge audit`: exit status 1 if anything differs. */
export function bridgeAuditCommand(bridge: Command): void {
  const command = bridge
    .command("audit")
    .description("compare the bridge with a node of the parent chain, and coins on this chain with locked coins");
  withFlags(command, FLAGS, async (options) => {
    const parent = new ParentNode(parentAddress(options.parent));
    const { from, carried } = options;
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

function parseDifference(text: string, option: string): bigint {
  if (/^-?\d{1,30}$/.test(text)) return BigInt(text);
  throw invalid(option, text, "a whole number of wei");
}

function auditJson(holdings: BridgeHoldings, { height, standing }: ParentScan, result: Audit): object {
  const {
    parentChain,
    inProgress: _under,
    scripts: _scripts,
    rejected: _rejected,
    spentBy: _spent,
    ...sums
  } = holdings;
  return { parentChain: { ...parentChain, standing, nodeHeight: height }, ...sums, ...result };
}

function auditLines(holdings: BridgeHoldings, { height, standing }: ParentScan, result: Audit): string[] {
  const { parentChain, coins, queued, fees, kept, union, circulating } = holdings;
  const { differences, deposits, inProgress } = result;
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
    ...inProgress.map(({ txid, stage, returning, mined }) =>
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
