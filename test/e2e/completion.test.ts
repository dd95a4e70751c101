import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCli, withFolder } from "@cambium/test-utils/node-cli";

/** Words that are offered for the last word of a line. */
const COMPLETIONS: [line: string, words: string[]][] = [
  ["node-cli sta", ["start"]],
  ["node-cli db rep", ["repair"]],
  ["node-cli db re", ["repair", "restore", "rewind"]],
  ["node-cli start --log.fo", ["--log.format"]],
  ["node-cli start --log.format ", ["json", "text"]],
  ["node-cli db check --network m", ["main"]],
  ["node-cli completion ", ["bash", "fish", "zsh"]],
];

/**
 * Lines for which files are offered among a script's own completions. Only bash itself adds them where a script offers
 * nothing.
 */
const FILES: [line: string, words: string[]][] = [
  ["node-cli import bl", ["blocks.txt"]],
  ["node-cli start --data-dir bl", ["blocks.txt"]],
  ["node-cli start --network bl", ["blocks.txt"]],
  ["node-cli db ", ["backup", "check", "prune", "repair", "restore", "rewind", "stats"]],
];

// Scripts that print, after `=`, the words offered for a line. Parameters: the script, the folder to run in, the lines.

const BASH = `
source "$1"
for line in "\${@:3}"; do
  read -ra COMP_WORDS <<< "$line"
  [ "\${line% }" = "$line" ] || COMP_WORDS+=("")
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  _node_cli
  echo = "\${COMPREPLY[@]}"
done`;

/**
 * Types the lines at the prompt of an interactive zsh, each with a key that inserts all completions and prints the
 * line.
 */
const zsh = (load: string) => `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= PS2= RPS1=; autoload -U compinit; ${load}; cd $2"
zpty -w shell 'all() { _main_complete; compstate[insert]=all; compstate[list]= }; zle -C all complete-word all'
zpty -w shell 'show() { zle all; print -r -- "<<$BUFFER>>"; BUFFER= }; zle -N show; bindkey "^X" show'
zpty -w shell 'print -r READ""Y'
zpty -r shell out '*READY*'
for line in "\${@:3}"; do
  zpty -w -n shell "$line"$'\\x18'
  zpty -r shell out '*<<*>>*'
  print -r -- = \${\${\${out##*<<}%%>>*}#\${line% *} }
done
zpty -d shell`;
const ZSH_SOURCES = zsh("compinit -u -D; source $1");
const ZSH_LOADS = zsh("fpath=(`dirname $1` \\$fpath); compinit -u -D");

const FISH = `
source $argv[1]
cd $argv[2]
for line in $argv[3..]
  echo = (complete --do-complete $line | string replace --regex '\\t.*' '')
end`;

describe("command lines are completed", function () {
  this.timeout(120_000);

  /**
   * Skips if this machine lacks the shell; otherwise runs a program of it for the lines of `cases`, in a folder with
   * one file.
   */
  async function assertCompletions(context: Mocha.Context, shell: string, program: string[], cases: typeof FILES) {
    if (spawnSync(shell, ["--version"]).status !== 0) context.skip();
    await withFolder(async (folder) => {
      const script = join(folder, "_node-cli");
      writeFileSync(script, (await runCli("completion", shell)).stdout);
      const files = join(folder, "files");
      mkdirSync(files);
      writeFileSync(join(files, "blocks.txt"), "");
      const options = { encoding: "utf8", env: { ...process.env, TERM: "dumb" }, timeout: 60_000 } as const;
      const parameters = [...program, script, files, ...cases.map(([line]) => line)];
      const { status, signal, stdout, stderr } = spawnSync(shell, parameters, options);
      assert.deepEqual([status, signal, stderr], [0, null, ""], stdout);
      const offered = [...stdout.matchAll(/^=(.*)$/gm)].map(([, words]) => words!.trim().split(" ").toSorted());
      assert.deepEqual(
        cases.map(([line], index) => [line, offered[index]]),
        cases,
      );
    });
  }

  it("by bash", async function () {
    const offersNothing: typeof FILES = [["node-cli import bl", [""]]];
    await assertCompletions(this, "bash", ["-c", BASH, "bash"], [...COMPLETIONS, ...offersNothing]);
  });

  it("by zsh, which sources the script", async function () {
    await assertCompletions(this, "zsh", ["-f", "-c", ZSH_SOURCES, "zsh"], [...COMPLETIONS, ...FILES]);
  });

  it("by zsh, which loads the script from a folder of functions", async function () {
    await assertCompletions(this, "zsh", ["-f", "-c", ZSH_LOADS, "zsh"], COMPLETIONS);
  });

  it("by fish", async function () {
    await assertCompletions(this, "fish", ["--no-config", "--command", FISH], [...COMPLETIONS, ...FILES]);
  });

  it("by no other shell", async () => {
    assert.equal((await runCli("completion", "csh")).status, 1);
  });
});
