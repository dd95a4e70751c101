import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { stumblesInCode, stumblesInMarkdown } from "./prose.js";

/** Checks the English of comments in sources and of the documentation; of the specification only the columns. */
const REPOSITORY = resolve(import.meta.dirname, "..");
const SOURCES = ["packages/*.ts", "packages/*.tsx", "scripts/*.ts", "test/*.ts"];
const FILES = [...SOURCES, "packages/*/README.md", "docs/*.md", "*.md"];
/** Files that list the words to avoid, are generated from long descriptions, or were recorded elsewhere. */
const EXCEPTIONS = ["CONTRIBUTING.md", "docs/json-rpc.md", "test/vectors/"];

const listing = execFileSync("git", ["ls-files", "-co", "--exclude-standard", ...FILES], { cwd: REPOSITORY });
let count = 0;
for (const file of listing.toString().split("\n").filter(Boolean)) {
  if (EXCEPTIONS.some((exception) => file.startsWith(exception))) continue;
  const text = readFileSync(resolve(REPOSITORY, file), "utf8");
  const found = file.endsWith(".md") ? stumblesInMarkdown(text) : stumblesInCode(text);
  const isSpecification = file.startsWith("docs/specification/");
  for (const { line, message } of found) {
    if (isSpecification && !message.includes("columns")) continue;
    console.error(`${file}:${line}: ${message}`);
    count++;
  }
}
if (count > 0) {
  console.error(`${count} stumbles`);
  process.exitCode = 1;
}
