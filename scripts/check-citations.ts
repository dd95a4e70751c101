import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { unresolvedCitations } from "./citations.js";
import { brokenLinks } from "./markdown-links.js";
import { readSpecification } from "./specification.js";

/** Checks that every citation of the specification and every relative link in the Markdown files resolves. */
const REPOSITORY = resolve(import.meta.dirname, "..");
const specification = readSpecification(resolve(REPOSITORY, "docs/specification"));

const listing = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.ts", "*.md"], { cwd: REPOSITORY });
let count = 0;
for (const file of listing.toString().split("\n").filter(Boolean)) {
  const path = resolve(REPOSITORY, file);
  if (!existsSync(path)) continue;
  const text = readFileSync(path, "utf8");
  const links = file.endsWith(".md") ? brokenLinks(path, text) : [];
  for (const { offset, message } of [...unresolvedCitations(text, specification), ...links]) {
    console.error(`${file}:${text.slice(0, offset).split("\n").length}: ${message}`);
    count++;
  }
}
if (count > 0) {
  console.error(`${count} citations or links do not resolve`);
  process.exitCode = 1;
}
