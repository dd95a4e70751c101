import { Command } from "commander";
import { CliError, explainCliError } from "../errors.js";
import { addFlags, commandValues, givenOf } from "../flags/command-flags.js";
import { NETWORK, readText } from "../options.js";
import { print } from "../output.js";
import { allSettings, applySettings, originsOf } from "../settings/apply-settings.js";
import { refusal } from "../settings/settings.js";
import { type FileValue, MAX_BYTES, readSettings } from "../settings/settings-file.js";
import { settingsText } from "../settings/settings-text.js";
import { checkPeers, readStartOptions, START_FLAGS } from "../start-flags.js";
import { VERSION } from "../version.js";

/** `node-cli config`: shows the configuration with which a node would start. */
export function configCommand(program: Command): void {
  const config = program.command("config").description("show and check the configuration of a node");
  dumpCommand(config);
  checkCommand(config);
  fromRskjCommand(config);
}

/** Takes the flags of `start`. */
function dumpCommand(config: Command): void {
  const dump = config
    .command("dump")
    .description("print what start would run with, and the origin of each value, as a file for --config");
  addFlags(dump, { ...START_FLAGS, network: { ...NETWORK, isRequired: false } }).action(() => {
    print(`# node-cli ${VERSION}: flags override environment variables, these the file, and the file the defaults.`);
    print(settingsText(dump, originsOf(dump)).trimEnd());
  });
}

/** Exit status 1 if the file has a problem. */
function checkCommand(config: Command): void {
  config
    .command("check")
    .description("check a configuration file: names, types and values")
    .argument("<file>", "TOML file for --config")
    .action(async (file: string) => {
      const values = readSettings(file, allSettings());
      const problems = values.flatMap(({ setting, value, line }) => {
        const refused = refusal(setting, value);
        return refused === undefined ? [] : [{ line, reason: explainCliError(refused) }];
      });
      if (problems.length > 0) throw new CliError({ code: "CONFIG_FILE", path: file, problems });
      await checkValues(file, values);
      print(`${file}: ${values.length} settings, no problems`);
    });
}

/** Prints a file for `--config`. Fails only if the file cannot be read. */
function fromRskjCommand(config: Command): void {
  config
    .command("from-rskj")
    .description("convert a configuration file of the deployed client, rsk.conf, and name what has no counterpart")
    .argument("<file>", "HOCON file of the deployed client")
    .action(async (file: string) => {
      const { parseHocon } = await import("../from-rskj/hocon.js");
      const root = parseHocon(file, readText(file, MAX_BYTES));
      const { convert } = await import("../from-rskj/convert.js");
      print(`# node-cli ${VERSION}: converted from a file of the deployed client.`);
      print(convert(root).toml());
    });
}

/**
 * Checks values whose range depends on the network. A file without a network is meant to be used with a flag that names
 * one.
 */
async function checkValues(file: string, values: readonly FileValue[]): Promise<void> {
  const command = addFlags(new Command(), START_FLAGS);
  applySettings(command, ["--config", file], {});
  if (givenOf(command, "network") === undefined) return;
  try {
    const { node } = await readStartOptions(commandValues(command, START_FLAGS));
    await checkPeers(node);
  } catch (cause) {
    const { peerFlagOf, startError } = await import("../start-errors.js");
    const error = startError(cause);
    if (!(error instanceof CliError)) throw error;
    const option = "option" in error.details ? error.details.option : peerFlagOf(cause);
    const line = values.find(({ setting }) => `--${setting.name}` === option)?.line;
    if (line === undefined) throw error;
    throw new CliError({ code: "CONFIG_FILE", path: file, problems: [{ line, reason: explainCliError(error) }] });
  }
}
