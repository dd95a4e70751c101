import type { Command } from "commander";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** Words that can follow the names of a command. */
interface Place {
  /** `db check`; empty at the beginning. */
  path: string;
  commands: { name: string; description: string }[];
  /** Values of its argument, if they are a fixed choice. */
  choices: readonly string[];
  flags: Flag[];
}

interface Flag {
  long: string;
  description: string;
  takesValue: boolean;
  choices: readonly string[];
  /** A file can also be the value. */
  takesFile: boolean;
}

/** Values of `--network` besides the path of a network definition. */
const NETWORKS = ["main", "test", "dev", "local"];

/**
 * Returns a script for a shell. It completes commands, flags where a word begins with a dash, and values that are a
 * choice. Elsewhere it completes file names.
 */
export function completionScript(program: Command, shell: Shell): string {
  const places = placesOf(program, "");
  return shell === "fish" ? fishScript(places) : shell === "zsh" ? zshScript(places) : bashScript(places);
}

function placesOf(command: Command, path: string): Place[] {
  const commands = command.commands.map((one) => ({ name: one.name(), description: one.description() }));
  const visible = command.options.filter(({ hidden }) => !hidden);
  const flags = visible.map(({ long, description, flags: text, argChoices }) => ({
    long: long!,
    description,
    takesValue: text.includes("<"),
    choices: argChoices ?? (long === "--network" ? NETWORKS : []),
    takesFile: argChoices === undefined,
  }));
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const below = command.commands.flatMap((one) => placesOf(one, path === "" ? one.name() : `${path} ${one.name()}`));
  return [{ path, commands, choices, flags: [...flags, HELP] }, ...below];
}

const HELP: Flag = { long: "--help", description: "display help", takesValue: false, choices: [], takesFile: false };

/** Builds `case` branches of bash and zsh: by the flag before the completed word, and by the place and that word. */
function branches(places: readonly Place[], offer: (words: readonly string[]) => string, offerFiles: string) {
  const paths = places.filter(({ path }) => path !== "").map(({ path }) => `"${path}"`);
  const flags = [...new Map(places.flatMap(({ flags }) => flags).map((flag) => [flag.long, flag])).values()];
  const values = flags.flatMap(({ long, takesValue, choices, takesFile }) => {
    if (!takesValue) return [];
    const offers = [...(choices.length > 0 ? [offer(choices)] : []), ...(takesFile ? [offerFiles] : [])];
    return [`    ${long}) ${offers.join("; ")}; return ;;`];
  });
  const words = places.flatMap(({ path, commands, choices, flags }) => {
    const first = [...commands.map(({ name }) => name), ...choices];
    return [
      `    "${path} -"*) ${offer(flags.map(({ long }) => long))} ;;`,
      `    "${path} "*) ${first.length > 0 ? offer(first) : offerFiles} ;;`,
    ];
  });
  return { paths: paths.join("|"), words: words.join("\n"), values: values.join("\n") };
}

function bashScript(places: readonly Place[]): string {
  const offer = (words: readonly string[]) => `COMPREPLY=($(compgen -W "${words.join(" ")}" -- "$current"))`;
  // `-o default`: bash offers files if the reply is empty.
  const { paths, words, values } = branches(places, offer, ":");
  return `# bash completion of node-cli
_node_cli() {
  local current=\${COMP_WORDS[COMP_CWORD]} place="" word
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${place:+$place }$word" in ${paths}) place="\${place:+$place }$word" ;; esac
  done
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
${values}
  esac
  case "$place $current" in
${words}
  esac
}
complete -o default -F _node_cli node-cli`;
}

/**
 * The script can be sourced, or be a file named `_node-cli` in `$fpath`, which runs as the function when it is first
 * needed.
 */
function zshScript(places: readonly Place[]): string {
  const { paths, words, values } = branches(places, (words) => `compadd -- ${words.join(" ")}`, "_files");
  return `#compdef node-cli
_node-cli() {
  local place="" word
  for word in \${words[2,CURRENT-1]}; do
    case "\${place:+$place }$word" in ${paths}) place="\${place:+$place }$word" ;; esac
  done
  case "\${words[CURRENT-1]}" in
${values}
  esac
  case "$place $PREFIX" in
${words}
  esac
}
if [ "$funcstack[1]" = "_node-cli" ]; then _node-cli "$@"; else compdef _node-cli node-cli; fi`;
}

function fishScript(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, commands, choices, flags }) => {
    const names = path.split(" ").filter((name) => name !== "");
    const seen = names.map((name) => `__fish_seen_subcommand_from ${name}`);
    const open =
      commands.length === 0 ? [] : [`not __fish_seen_subcommand_from ${commands.map(({ name }) => name).join(" ")}`];
    const condition = `-n ${quoted([...seen, ...open].join("; and ") || "true")}`;
    return [
      ...commands.map(
        ({ name, description }) => `complete -c node-cli ${condition} -f -a ${name} -d ${quoted(description)}`,
      ),
      ...(choices.length > 0 ? [`complete -c node-cli ${condition} -f -a ${quoted(choices.join(" "))}`] : []),
      ...flags.map(({ long, description, takesValue, choices, takesFile }) => {
        const values = choices.length > 0 ? ` -a ${quoted(choices.join(" "))}` : "";
        const value = takesValue ? ` ${takesFile ? "-r" : "-x"}${values}` : "";
        return `complete -c node-cli ${condition} -l ${long.slice("--".length)}${value} -d ${quoted(description)}`;
      }),
    ];
  });
  return ["# fish completion of node-cli", ...lines].join("\n");
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
