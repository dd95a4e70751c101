import { Command, CommanderError } from "commander";
import { explain } from "./explain.js";
import { flagsOf } from "./flags/command-flags.js";
import { withSourcePositions } from "./source-positions.js";
import { VERSION } from "./version.js";

/** Commands in the order of the help. They load on demand, and their dependencies load when they run. */
const COMMANDS: Readonly<Record<string, () => Promise<(program: Command) => void>>> = {
  dev: async () => (await import("./commands/dev.js")).devCommand,
  start: async () => (await import("./commands/start.js")).startCommand,
  replica: async () => (await import("./commands/replica.js")).replicaCommand,
  feed: async () => (await import("./commands/feed.js")).feedCommand,
  genesis: async () => (await import("./commands/genesis.js")).genesisCommand,
  "verify-headers": async () => (await import("./commands/verify-headers.js")).verifyHeadersCommand,
  import: async () => (await import("./commands/import.js")).importCommand,
  bootstrap: async () => (await import("./commands/bootstrap.js")).bootstrapCommand,
  export: async () => (await import("./commands/export.js")).exportCommand,
  db: async () => (await import("./commands/db.js")).dbCommand,
  bridge: async () => (await import("./commands/bridge.js")).bridgeCommand,
  miner: async () => (await import("./commands/miner.js")).minerCommand,
  "what-if": async () => (await import("./commands/what-if.js")).whatIfCommand,
  config: async () => (await import("./commands/config.js")).configCommand,
  completion: async () => (await import("./commands/completion.js")).completionCommand,
  keys: async () => (await import("./commands/keys.js")).keysCommand,
  conformance: async () => (await import("./commands/conformance.js")).conformanceCommand,
};

async function createProgram([name = ""]: readonly string[]): Promise<Command> {
  const program = new Command("node-cli")
    .description("Cambium: a full node for the merge-mined EVM chains 30 (main) and 31 (test)")
    .version(VERSION)
    .exitOverride()
    .showSuggestionAfterError();
  const isAlone = Object.hasOwn(COMMANDS, name) && name !== "completion";
  const names = isAlone ? [name] : Object.keys(COMMANDS);
  for (const load of names.map((one) => COMMANDS[one]!)) (await load())(program);
  for (const command of program.commands) command.exitOverride();
  return program;
}

/** Returns the command that a command line names, including one below another. */
function commandOf(program: Command, argv: readonly string[]): Command {
  let command = program;
  for (const name of argv) {
    const next = command.commands.find((one) => one.name() === name);
    if (next === undefined) break;
    command = next;
  }
  return command;
}

/** Applies values from a file and the environment to commands that take them. Returns their origins, by flag. */
async function settingsFor(command: Command, argv: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (!("config" in flagsOf(command))) return new Map();
  const { applySettings, unknownVariables } = await import("./settings/apply-settings.js");
  for (const line of unknownVariables(command)) process.stderr.write(`node-cli: ${line}\n`);
  return applySettings(command, argv);
}

/** Milliseconds after a failure by which the process ends in any case. */
const EXIT_AFTER = 10_000;

/**
 * Runs the command line and returns the exit status. A failure is one line for each problem on standard error, never a
 * stack trace.
 */
export async function main(argv: readonly string[]): Promise<number> {
  process.stdout.on("error", endWithOutput);
  process.on("uncaughtExceptionMonitor", nameSource);
  let origins: ReadonlyMap<string, string> = new Map();
  try {
    const program = await createProgram(argv);
    origins = await settingsFor(commandOf(program, argv), argv);
    await program.parseAsync(argv, { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    process.stderr.write(`node-cli: ${await explain(error, argv, origins)}\n`);
    // A part that could not be stopped must not keep the process.
    setTimeout(() => process.exit(1), EXIT_AFTER).unref();
    return 1;
  }
}

/** Makes the final stack trace of a process name the source. */
function nameSource(error: unknown): void {
  if (error instanceof Error && error.stack !== undefined) error.stack = withSourcePositions(error.stack);
}

/**
 * Ends a command whose output cannot be written. There is no message if its reader has read enough, as `head` does. A
 * node continues (`log.ts`).
 */
function endWithOutput({ code, message }: NodeJS.ErrnoException): void {
  if (process.stdout.listenerCount("error") > 1) return;
  if (code === "EPIPE") process.exit();
  process.stderr.write(`node-cli: cannot write the output: ${message}\n`);
  process.exit(1);
}
