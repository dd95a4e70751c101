import type { FolderReport, runConformance, totals } from "@cambium/conformance";
import type { Command } from "commander";
import { CliError } from "../errors.js";
import { withFlags } from "../flags/command-flags.js";
import { JSON_OUTPUT } from "../options.js";
import { ProgressLine, print, printJson } from "../output.js";

/** `node-cli conformance PATH…`: runs conformance vectors; exit status 1 if a case fails. */
export function conformanceCommand(command: Command): void {
  command.argument("<path...>", "vector files or folders");
  withFlags(command, { json: JSON_OUTPUT }, async (options, paths: string[]) => {
    const progress = new ProgressLine();
    const { reports, ignored } = await run(paths, (folder, cases) => progress.update(`${folder}: ${cases} cases`));
    progress.done();
    if (reports.length === 0) throw new CliError({ code: "NO_VECTORS", path: paths.join(", ") });
    const { totals } = await import("@cambium/conformance");
    const all = totals(reports);
    if (options.json) printJson({ folders: reports, ...all, ignored });
    else printReports(reports, ignored, all);
    if (all.failed > 0) process.exitCode = 1;
  });
}

type Totals = ReturnType<typeof totals>;

const run: typeof runConformance = async (paths, onProgress) => {
  const { ConformanceError, runConformance } = await import("@cambium/conformance");
  try {
    return await runConformance(paths, onProgress);
  } catch (error) {
    if (!(error instanceof ConformanceError)) throw error;
    const { details } = error;
    if (details.code === "FILE_NOT_FOUND" || details.code === "FILE_UNREADABLE") throw new CliError(details);
    throw error;
  }
};

function printReports(reports: readonly FolderReport[], ignored: readonly string[], all: Totals): void {
  for (const report of reports) {
    print(
      `${report.folder} (${report.suite}): ${report.passed} passed, ${report.failed} failed, ${report.pending} pending`,
    );
    for (const { name, reason } of report.failures) print(`  failed   ${name}: ${reason}`);
    for (const { name, reason } of report.pendingCases) print(`  pending  ${name}: ${reason}`);
  }
  for (const path of ignored) print(`ignored   ${path}: unknown vector format`);
  print(`${all.passed} passed, ${all.failed} failed, ${all.pending} pending`);
}
