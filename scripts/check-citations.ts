import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { unresolvedCitations } from "./citations.js";
import { brokenLinks } from "./markdown-links.js";
import { brokenReferences } from "./source-references.js";
import { readSpecification } from "./specification.js";

/**
 * Checks that every citation of the specification and every relative link in the Markdown files resolves. Checks that
 * the pages about the sources name files and symbols that exist.
 */
const REPOSITORY = resolve(import.meta.dirname, "..");
/** Pages about the sources. Others also name files of users, and of the deployed client. */
const ABOUT_SOURCES = /^(?:CONTRIBUTING|RELEASE|docs\/(?:architecture|security)|packages\/.+)\.md$/;
const specification = readSpecification(resolve(REPOSITORY, "docs/specification"));

const listing = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: REPOSITORY }).toString();
const paths = listing.split("\n").filter((path) => path !== "" && existsSync(resolve(REPOSITORY, path)));
const read = (path: string) => readFileSync(resolve(REPOSITORY, path), "utf8");
let count = 0;
for (const file of paths.filter((path) => /\.(?:ts|md)$/.test(path))) {
  const text = read(file);
  const links = file.endsWith(".md") ? brokenLinks(resolve(REPOSITORY, file), text) : [];
  const references = ABOUT_SOURCES.test(file) ? brokenReferences(text, { paths, read }) : [];
  for (const { offset, message } of [...unresolvedCitations(text, specification), ...links, ...references]) {
    console.error(`${file}:${text.slice(0, offset).split("\n").length}: ${message}`);
    count++;
  }
}
if (count > 0) {
  console.error(`${count} citations, links or references do not resolve`);
  process.exitCode = 1;
}
