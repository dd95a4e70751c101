import type { Command } from "commander";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** What can follow the names of a command. */
interface Place {
  /** `db check`; empty at the beginning. */
  path: string;
  commands: { name: string; description: string }[];
  flags: { long: string; description: string; takesValue: boolean; choices: readonly string[] }[];
}

/** Values of flags that are no fixed choice. */
const NETWORKS = ["main", "test", "dev", "local"];

/** A script for a shell, with the commands and flags of a program. What they do not complete are names of files. */
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
  }));
  const below = command.commands.flatMap((one) => placesOf(one, path === "" ? one.name() : `${path} ${one.name()}`));
  return [{ path, commands, flags: [...flags, HELP] }, ...below];
}

const HELP = { long: "--help", description: "display help", takesValue: false, choices: [] };

/** `case` branches of bash and zsh: the words of each place, and the values of flags. */
function branches(places: readonly Place[], offer: (words: string) => string) {
  const paths = places.filter(({ path }) => path !== "").map(({ path }) => `"${path}"`);
  const words = places.map(({ path, commands, flags }) => {
    const all = [...commands.map(({ name }) => name), ...flags.map(({ long }) => long)].join(" ");
    return `    "${path}") ${offer(all)} ;;`;
  });
  const choices = new Map(places.flatMap(({ flags }) => flags).map(({ long, choices }) => [long, choices.join(" ")]));
  const values = [...choices]
    .filter(([, all]) => all !== "")
    .map(([long, all]) => `    ${long}) ${offer(all)}; return ;;`);
  return { paths: paths.join("|"), words: words.join("\n"), values: values.join("\n") };
}

function bashScript(places: readonly Place[]): string {
  const { paths, words, values } = branches(places, (all) => `COMPREPLY=($(compgen -W "${all}" -- "$current"))`);
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
  case "$place" in
${words}
  esac
}
complete -o default -F _node_cli node-cli`;
}

function zshScript(places: readonly Place[]): string {
  const { paths, words, values } = branches(places, (all) => `compadd -- ${all}`);
  return `#compdef node-cli
_node_cli() {
  local place="" word
  for word in \${words[2,CURRENT-1]}; do
    case "\${place:+$place }$word" in ${paths}) place="\${place:+$place }$word" ;; esac
  done
  case "\${words[CURRENT-1]}" in
${values}
  esac
  case "$place" in
${words}
  esac
  _files
}
compdef _node_cli node-cli`;
}

function fishScript(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, commands, flags }) => {
    const names = path.split(" ").filter((name) => name !== "");
    const seen = names.map((name) => `__fish_seen_subcommand_from ${name}`);
    const open =
      commands.length === 0 ? [] : [`not __fish_seen_subcommand_from ${commands.map(({ name }) => name).join(" ")}`];
    const condition = `-n ${quoted([...seen, ...open].join("; and ") || "true")}`;
    return [
      ...commands.map(
        ({ name, description }) => `complete -c node-cli ${condition} -f -a ${name} -d ${quoted(description)}`,
      ),
      ...flags.map(({ long, description, takesValue, choices }) => {
        const value = choices.length > 0 ? ` -x -a ${quoted(choices.join(" "))}` : takesValue ? " -r" : "";
        return `complete -c node-cli ${condition} -l ${long.slice("--".length)}${value} -d ${quoted(description)}`;
      }),
    ];
  });
  return ["# fish completion of node-cli", ...lines].join("\n");
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
