import { type Command, Option } from "commander";
import { CliError } from "../errors.js";
import { type Flag, type Flags, type Given, type Values, valuesOf } from "./flag.js";

/** Flags that the help of a command shows first. */
const FIRST: readonly string[] =
  "network data-dir config sync.mode http.host http.port rpc.modules p2p.port metrics.port log.level".split(" ");

const TABLES = new WeakMap<Command, Flags>();

/** The table of the flags that {@link addFlags} has given a command. */
export function flagsOf(command: Command): Flags {
  return TABLES.get(command) ?? {};
}

/** Adds flags to a command, and runs `run` with their values and the arguments of the command. */
export function withFlags<F extends Flags, A extends unknown[]>(
  command: Command,
  flags: F,
  run: (values: Values<F>, ...args: A) => void | Promise<void>,
): Command {
  return addFlags(command, flags).action(async (...all: unknown[]) => {
    const args = all.slice(0, command.registeredArguments.length);
    await Reflect.apply(run, undefined, [commandValues(command, flags), ...args]);
  });
}

/** Adds the flags of a table to a command, after its arguments. */
export function addFlags(command: Command, flags: Flags): Command {
  TABLES.set(command, flags);
  const first = FIRST.filter((name) => name in flags);
  for (const name of new Set([...first, ...Object.keys(flags)])) {
    const flag = flags[name]!;
    for (const option of flag.value === undefined ? switches(name, flag) : [valueOption(command, name, flag)]) {
      const { isRequired = false, group, conflicts } = flag;
      if (group !== undefined && !first.includes(name)) option.helpGroup(`${group}:`);
      if (conflicts !== undefined) option.conflicts(attributeOf(conflicts));
      command.addOption(option.makeOptionMandatory(isRequired));
    }
  }
  return command;
}

/** Values of flags of a command. Throws {@link CliError} `INVALID_OPTION`. */
export function commandValues<F extends Flags>(command: Command, flags: F): Values<F> {
  const names = Object.keys(flags).map((name): [string, Given | undefined] => [name, givenOf(command, name)]);
  return valuesOf(flags, Object.fromEntries(names) as { [N in keyof F]?: Given });
}

/** Returns the value given for a flag of a command, or its default. */
export function givenOf(command: Command, name: string): Given | undefined {
  return command.getOptionValue(attributeOf(name)) as Given | undefined;
}

/** Returns `cli`, `env`, `config` or `default`; undefined if there is no value. */
export function sourceOf(command: Command, name: string): string | undefined {
  return command.getOptionValueSource(attributeOf(name));
}

export function setGiven(command: Command, name: string, given: Given | undefined, source: string): void {
  command.setOptionValueWithSource(attributeOf(name), given, source);
}

/** Name of a value among those that commander has parsed. */
function attributeOf(name: string): string {
  return new Option(`--${name}`).attributeName();
}

/** A list takes several words, unless arguments of the command may follow them. */
function valueOption(command: Command, name: string, flag: Flag): Option {
  const isList = flag.type === "list";
  const more = isList && command.registeredArguments.length === 0 ? "..." : "";
  const option = new Option(`--${name} <${flag.value}${more}>`, flag.help);
  if (flag.choices !== undefined) option.choices(flag.choices);
  if (flag.default !== undefined) option.default(flag.default);
  return option.argParser((text, before: Given | undefined) => {
    const isRepeated = sourceOf(command, name) === "cli";
    if (isList) return isRepeated ? [...(before as readonly string[]), text] : [text];
    if (isRepeated) throw new CliError({ code: "REPEATED_OPTION", option: `--${name}` });
    return text;
  });
}

/** A switch has both forms; the help shows those that have a help text. */
function switches(name: string, { help, offHelp }: Flag): Option[] {
  const on = new Option(`--${name}`, help).hideHelp(help === "");
  const off = new Option(`--no-${name}`, offHelp).hideHelp(offHelp === undefined);
  return help === "" ? [off, on] : [on, off];
}
