import { Command, CommanderError } from "commander";
import { withSourcePositions } from "./source-positions.js";
import { VERSION } from "./version.js";

interface CommandEntry {
  /** The text of the program's help. */
  summary: string;
  /** Gives the command its flags and subcommands. */
  load(): Promise<(command: Command) => void>;
}

/** Commands in the order of the help. Only the command that runs is loaded: the help of the program needs none. */
const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  dev: {
    summary: "run a local chain for development: funded accounts, a block for every transaction, and a line for each",
    load: async () => (await import("./commands/dev.js")).devCommand,
  },
  start: {
    summary: "run a node: synchronise the chain and serve JSON-RPC until SIGINT or SIGTERM",
    load: async () => (await import("./commands/start.js")).startCommand,
  },
  replica: {
    summary: "serve JSON-RPC from a copy of another node's database, which follows that node until SIGINT or SIGTERM",
    load: async () => (await import("./commands/replica.js")).replicaCommand,
  },
  feed: {
    summary: "copy a node's blocks as typed rows, each exactly once, until SIGINT or SIGTERM",
    load: async () => (await import("./commands/feed.js")).feedCommand,
  },
  genesis: {
    summary: "compute and print the genesis block of a network",
    load: async () => (await import("./commands/genesis.js")).genesisCommand,
  },
  "verify-headers": {
    summary: "check the encoding, merged-mining proof of work and fork-detection data of block headers",
    load: async () => (await import("./commands/verify-headers.js")).verifyHeadersCommand,
  },
  import: {
    summary: "import blocks from files; safe to interrupt and repeat",
    load: async () => (await import("./commands/import.js")).importCommand,
  },
  bootstrap: {
    summary:
      "start from the published state of the network, from a file of it, or from a block file; safe to interrupt and repeat",
    load: async () => (await import("./commands/bootstrap.js")).bootstrapCommand,
  },
  export: {
    summary: "export blocks of the best chain to a file that the import command reads",
    load: async () => (await import("./commands/export.js")).exportCommand,
  },
  db: {
    summary: "database maintenance",
    load: async () => (await import("./commands/db.js")).dbCommand,
  },
  bridge: {
    summary: "report the state of the bridge to the parent chain",
    load: async () => (await import("./commands/bridge.js")).bridgeCommand,
  },
  miner: {
    summary: "mine blocks over JSON-RPC like a merged-mining pool; for low-difficulty networks",
    load: async () => (await import("./commands/miner.js")).minerCommand,
  },
  "what-if": {
    summary:
      "execute transactions or a call under other rules too, of Ethereum or of this chain's drafts, and show where the results differ",
    load: async () => (await import("./commands/what-if.js")).whatIfCommand,
  },
  config: {
    summary: "show and check the configuration of a node",
    load: async () => (await import("./commands/config.js")).configCommand,
  },
  completion: {
    summary: 'complete commands and flags in a shell: put eval "$(node-cli completion bash)" in ~/.bashrc',
    load: async () => (await import("./commands/completion.js")).completionCommand,
  },
  keys: {
    summary: "add, limit and revoke the API keys of running nodes with --rpc.managed-keys, which share a Redis server",
    load: async () => (await import("./commands/keys.js")).keysCommand,
  },
  conformance: {
    summary: "run conformance vectors and report every case whose result differs",
    load: async () => (await import("./commands/conformance.js")).conformanceCommand,
  },
};

async function createProgram(argv: readonly string[]): Promise<Command> {
  const program = new Command("node-cli")
    .description("Cambium: a full node for the merge-mined EVM chains 30 (main) and 31 (test)")
    .version(VERSION)
    .exitOverride()
    .showSuggestionAfterError();
  // Either the command itself, or what follows `help`.
  const named = argv.find((word) => Object.hasOwn(COMMANDS, word));
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(summary);
    if (name === named || named === "completion") (await load())(command);
  }
  return program.configureHelp({ subcommandTerm: (command) => command.name() });
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
  if (command.parent === null) return new Map();
  const { flagsOf } = await import("./flags/command-flags.js");
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
    const { explain } = await import("./explain.js");
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
