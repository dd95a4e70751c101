import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCli } from "@cambium/test-utils/node-cli";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string) => readFileSync(join(REPOSITORY, path), "utf8");
const PAGES = [
  "README.md",
  "packages/cli/README.md",
  ...readdirSync(join(REPOSITORY, "docs")).flatMap((name) => pages(name)),
];
/** Commands that have subcommands. */
const GROUPS = ["db", "keys", "bridge", "config"];

function pages(name: string): string[] {
  return name.endsWith(".md") ? [`docs/${name}`] : [];
}

/** A command line in a page: the words after `node-cli`. */
interface Shown {
  page: string;
  words: string[];
}

/** Returns command lines in code, whether on a separate line or within a sentence. */
function shownCommands(page: string): Shown[] {
  const text = read(page).replaceAll(/\\\n\s*/g, " ");
  const lines = [...text.matchAll(/^(?: {4}|\$ )?(?:sudo )?(?:node )?(?:\.\/)?(?:bin\/)?node-cli (.+)$/gm)];
  const spans = [...text.matchAll(/`(?:node )?(?:bin\/)?node-cli ([^`]+)`/g)];
  return [...lines, ...spans].map(([, line]) => ({ page, words: line!.replace(/ [#&|].*$/, "").split(/\s+/) }));
}

describe("the documentation", function () {
  this.timeout(120_000);
  const helps = new Map<string, Promise<string>>();

  /** Returns the output of `--help` for a command, with the options of the program. */
  function help(command: string): Promise<string> {
    let text = helps.get(command);
    if (text === undefined) {
      text = runCli(...command.split(" "), "--help").then(({ status, stdout }) => (status === 0 ? stdout : ""));
      helps.set(command, text);
    }
    return text;
  }

  it("shows commands and options that exist", async () => {
    const shown = PAGES.flatMap(shownCommands);
    assert.ok(shown.length > 40, `${shown.length} commands`);
    for (const { page, words } of shown) {
      const [first = "", second = ""] = words;
      // A placeholder, or an option of the program itself.
      if (!/^[a-z]/.test(first)) continue;
      const command = GROUPS.includes(first) && /^[a-z-]+$/.test(second) ? `${first} ${second}` : first;
      const text = await help(command);
      assert.notEqual(text, "", `${page}: node-cli ${command}`);
      for (const option of words.flatMap((word) => /^\[?(--[a-z][\w.-]*[a-z\d])/.exec(word)?.[1] ?? [])) {
        assert.match(
          text,
          new RegExp(`${option.replaceAll(".", "\\.")}[\\s,]`),
          `${page}: node-cli ${words.join(" ")}`,
        );
      }
    }
  });

  it("explains messages that the program has", () => {
    const sources = readdirSync(join(REPOSITORY, "packages"))
      .flatMap((name) =>
        readdirSync(join(REPOSITORY, "packages", name, "src"), { recursive: true, encoding: "utf8" }).map(
          (file) => `packages/${name}/src/${file}`,
        ),
      )
      .filter((file) => file.endsWith(".ts"))
      .map(read)
      .join("\n")
      // Joins the parts of one text in several lines.
      .replaceAll(/["`] \+\n\s*["`]/g, "");
    const headings = [...read("docs/troubleshooting.md").matchAll(/^### (.+)$/gm)].map(([, heading]) => heading!);
    const messages = headings.flatMap((heading) => [...heading.matchAll(/`([^`]+)`/g)].map(([, message]) => message!));
    assert.ok(messages.length > 20);
    for (const message of messages) {
      for (const part of message.split("…").map((one) => one.trim())) assert.ok(sources.includes(part), message);
    }
  });
});
