import { Argument, type Command } from "commander";
import { completionScript, SHELLS, type Shell } from "../completion/scripts.js";
import { print } from "../output.js";

/** `node-cli completion`: a script that completes command lines, of the program that has all commands. */
export function completionCommand(program: Command): void {
  program
    .command("completion")
    .description('complete commands and flags in a shell: put eval "$(node-cli completion bash)" in ~/.bashrc')
    .addArgument(new Argument("<shell>", "shell whose script is printed").choices(SHELLS))
    .action((shell: Shell) => print(completionScript(program, shell)));
}
