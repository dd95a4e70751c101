import { Argument, type Command } from "commander";
import { completionScript, SHELLS, type Shell } from "../completion/scripts.js";
import { print } from "../output.js";

/** `node-cli completion`: a script that completes command lines, whose program has all commands. */
export function completionCommand(command: Command): void {
  command
    .addArgument(new Argument("<shell>", "shell whose script is printed").choices(SHELLS))
    .action((shell: Shell) => print(completionScript(command.parent!, shell)));
}
