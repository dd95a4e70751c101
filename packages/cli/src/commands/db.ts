import {
  checkDatabase,
  type DatabaseCheckResult,
  type DatabaseProblem,
  openReader,
  type SnapshotGaps,
} from "@cambium/chain";
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

/** `node-cli db check`: exit status 1 when anything is missing or wrong. */
export function dbCommand(program: Command): void {
  const db = program.command("db").description("look after a database");
  db.command("check")
    .description("find any missing block, receipt, index entry or state node")
    .addOption(networkOption())
    .addOption(dataDirOption())
    .option("--deep", "also visit every node and value of every block's state")
    .addOption(jsonOption())
    .action(async (options: CheckOptions) => {
      const network = resolveNetwork(options.network);
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
  print(`${blocks} blocks, ${nodes} state nodes: ${problems.length === 0 ? "clean" : `${problems.length} problems`}`);
}

function snapshotText(gaps: SnapshotGaps): string {
  if (gaps.kind === "installing") {
    return `a snapshot of block ${gaps.block} is being fetched: ${gaps.bytes} of ${gaps.totalBytes || "?"} bytes of state`;
  }
  const blocks = gaps.earliest > 1 ? `; blocks 1 to ${gaps.earliest - 1} are not here yet` : "";
  return `began with a snapshot of block ${gaps.block}: no receipts up to it${blocks}`;
}
