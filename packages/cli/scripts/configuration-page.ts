import { LIVE_SETTINGS } from "../src/reload.js";
import { allSettings } from "../src/settings/apply-settings.js";
import type { Setting } from "../src/settings/settings.js";

/** `docs/configuration.md`: its table contains all flags of `start`. */
export function configurationPage(): string {
  return `${INTRODUCTION}
| key in a file | flag | environment variable | value | default | meaning |
|---|---|---|---|---|---|
${allSettings().map(row).join("\n")}
`;
}

const INTRODUCTION = `# Configuration

<!-- Written by \`npm run docs\` from the program. -->

A node is configured by flags, environment variables and one TOML file. Of several values for one setting, the first of
these counts:

1. the flag of the command line;
2. the environment variable, unless it is empty;
3. the file named by \`--config\` or \`CAMBIUM_CONFIG\`;
4. the default.

    # node.toml
    network = "main"
    data-dir = "/var/lib/cambium"

    [http]
    port = 4444
    hosts = ["node.example.org"]

    [p2p]
    max-peers = 40

    [log]
    level = "info,p2p=debug"
    file = "/var/log/cambium/node.log"

\`node-cli start --config node.toml\` starts a node with it. Commands that open its data (\`import\`, \`export\`,
\`db …\`, \`bridge …\`, \`what-if\`) take \`--config\` and the variables too, and use what they have a flag for, so that
\`network\` and \`data-dir\` need to be written once. \`dev\` takes neither. Paths are relative to the folder in which
the command runs.

- \`node-cli config check FILE\` names each unknown key, value of a wrong type, and value that a node would refuse, with
  its line. A node refuses to start with such a file.
- \`node-cli config dump\` takes the flags of \`start\` and prints the configuration that results, with the origin of
  each value. What it prints is a file for \`--config\`; passwords, tokens and keys in URLs are replaced by \`***\`.
  Keys of accounts are never part of the configuration: they are in \`<data-dir>/keystore\`, and [API keys](api-keys.md)
  in the file of \`rpc.keys\` or in Redis.
- Limits and modules of JSON-RPC that have no flag are in the JSON file of \`rpc.config\`:
  [JSON-RPC configuration](json-rpc-configuration.md).
- \`node-cli config from-rskj rsk.conf > node.toml\` converts a file of the deployed client:
  [coming from the deployed client](from-rskj.md).
- \`node-cli completion bash|zsh|fish\` prints a script that completes commands, flags and values:
  \`eval "$(node-cli completion bash)"\` in \`~/.bashrc\`, the same for zsh after \`compinit\` in \`~/.zshrc\`, and
  \`node-cli completion fish | source\` in \`config.fish\`.

## Changing settings of a running node

\`admin_reloadConfig\` ([JSON-RPC](json-rpc.md), module \`admin\`) and the signal SIGHUP make a node read the file and
the environment again; the flags stay as they are. These settings take effect immediately. The answer and the log name
them, and those that need a restart:
${LIVE_SETTINGS.map((key) => `\`${key}\``).join(", ")}.

- A file or value with a mistake is refused with its line, and nothing is changed. So are a file above 1 MiB and a pipe.
  Write a new file and rename it: of one that is half written, the node would take what is not there yet for the
  default.
- Reloads follow one another. Those that are asked for during one are one reload together, which reads the file
  afterwards.
- Of \`rpc.keys\` the file of keys is read again. Connections over WebSocket with a key that is no longer in it are
  closed. A node that was started without keys must be started again to require some.
- \`p2p.trusted\` holds for new connections. Nodes that are added to \`p2p.nodes\` are dialled; those that are removed
  stay connected, but are not dialled again.
- On a terminal, SIGHUP means that it was closed, and the node stops.

## All settings

In variables and flags, the items of a list are separated by spaces or commas; a flag with a list can also be repeated,
and be followed by several words. A switch is \`true\` or \`false\` in a variable. A flag \`--no-…\` switches off what the
file or a variable has switched on: \`--no-mine\`.
`;

/** Names of values that do not name their unit. */
const NO_UNITS: ReadonlySet<string> = new Set(["n", "port"]);

function row({ name, key, variable, flag }: Setting): string {
  const { help, offHelp, type, choices, default: initial, value: unit } = flag;
  const shown = help === "" ? `--no-${name}` : `--${name}`;
  const meaning = help === "" ? `\`false\`: ${offHelp}` : help;
  const counted = type === "integer" && unit !== undefined && !NO_UNITS.has(unit) ? `integer (${unit})` : type;
  const value = choices === undefined ? counted : choices.map((choice) => `\`"${choice}"\``).join(", ");
  const text = initial === undefined ? "" : `\`${type === "text" ? JSON.stringify(initial) : initial}\``;
  return `| ${[`\`${key}\``, `\`${shown}\``, `\`${variable}\``, value, text, meaning]
    .map((cell) => cell.replaceAll("|", "\\|").replaceAll("<", "&lt;"))
    .join(" | ")} |`;
}
