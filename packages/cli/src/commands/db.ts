import type { DatabaseCheckResult, DatabaseProblem, SnapshotGaps } from "@cambium/chain";
import { toData } from "@cambium/primitives";
import type { Command } from "commander";
import { withDatabase } from "../database.js";
import { dataDirOption, jsonOption, networkOption, resolveDataDir, resolveNetwork } from "../options.js";
import { ProgressLine, print, printJson } from "../output.js";

interface CheckOptions {
  network: string;
  dataDir?: string;
  deep?: boolean;
  json?: boolean;
}

/** `node-cli db check`: exit status 1 if anything is missing or damaged. */
export function dbCommand(program: Command): void {
  const db = program.command("db").description("database maintenance");
  db.command("check")
    .description("check the database for missing blocks, receipts, index entries and state nodes")
    .addOption(networkOption())
    .addOption(dataDirOption())
    .option("--deep", "also read every trie node and value of every block's state")
    .addOption(jsonOption())
    .action(async (options: CheckOptions) => {
      const network = await resolveNetwork(options.network);
      const { checkDatabase, openReader } = await import("@cambium/chain");
      const progress = new ProgressLine();
      const result = await withDatabase(resolveDataDir(options.dataDir, network), async (database) => {
        openReader({ network, database });
        return checkDatabase(database, network, {
          deep: options.deep,
          onProgress: (blocks) => progress.update(`${blocks} blocks checked`),
        });
      });
      progress.done();
      if (options.json) printJson({ ...result, problems: result.problems.map(problemJson) });
      else printResult(result);
      if (result.problems.length > 0) process.exitCode = 1;
    });
}

function problemJson(problem: DatabaseProblem): object {
  return "hash" in problem ? { ...problem, hash: toData(problem.hash) } : problem;
}

function printResult({ blocks, nodes, problems, snapshot }: DatabaseCheckResult): void {
  for (const problem of problems) {
    print(
      Object.entries(problemJson(problem))
        .map(([name, value]) => `${name}=${value}`)
        .join(" "),
    );
  }
  if (snapshot !== undefined) print(snapshotText(snapshot));
  const verdict = problems.length === 0 ? "no problems" : `${problems.length} problems`;
  print(`checked ${blocks} blocks and ${nodes} state nodes: ${verdict}`);
}

function snapshotText(gaps: SnapshotGaps): string {
  if (gaps.kind === "installing") {
    return `snapshot of block ${gaps.block} incomplete: ${gaps.bytes} of ${gaps.totalBytes || "?"} bytes of state downloaded`;
  }
  const blocks = gaps.earliest > 1 ? `; blocks 1 to ${gaps.earliest - 1} not downloaded yet` : "";
  return `started from a snapshot of block ${gaps.block}: no receipts up to that block${blocks}`;
}
