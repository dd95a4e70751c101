import { Command, CommanderError } from "commander";
import { bridgeCommand } from "./commands/bridge.js";
import { conformanceCommand } from "./commands/conformance.js";
import { dbCommand } from "./commands/db.js";
import { exportCommand } from "./commands/export.js";
import { genesisCommand } from "./commands/genesis.js";
import { importCommand } from "./commands/import.js";
import { minerCommand } from "./commands/miner.js";
import { startCommand } from "./commands/start.js";
import { verifyHeadersCommand } from "./commands/verify-headers.js";
import { explain } from "./errors.js";
import { VERSION } from "./version.js";

const COMMANDS = [
  startCommand,
  genesisCommand,
  verifyHeadersCommand,
  importCommand,
  exportCommand,
  dbCommand,
  bridgeCommand,
  minerCommand,
  conformanceCommand,
];

function createProgram(): Command {
  const program = new Command("node-cli")
    .description("Cambium: a full node for the merge-mined EVM chain of ids 30 and 31")
    .version(VERSION)
    .exitOverride()
    .showSuggestionAfterError();
  for (const add of COMMANDS) add(program);
  for (const command of program.commands) command.exitOverride();
  return program;
}

/** Runs the command line; answers the exit status. A failure is one line on standard error, never a stack trace. */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(argv, { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    process.stderr.write(`node-cli: ${explain(error)}\n`);
    return 1;
  }
}
