import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CaseResult } from "../interface.js";
import { continuation, outcomeCase } from "./archives.js";
import { type ExpectedChain, type ListedArchive, readJson } from "./formats.js";
import { siteCase } from "./indexes.js";
import { compareInstallation, openFile } from "./installation.js";

/** Archives of a chain, and the site that publishes them. */
export async function* chainArchives(folder: string): AsyncGenerator<CaseResult> {
  const name = folder.split("/").at(-1)!;
  const expected = continuation(folder);
  for (const listed of readJson<ListedArchive[]>(folder, "archives.json")) {
    const path = join(folder, "site/archive", listed.archive, "bootstrap-data.zip");
    yield await outcomeCase(
      `${name}/${listed.archive}`,
      expectedOutcome(listed, expected.chain),
      async (comparison) => {
        comparison
          .equal("SHA-256", createHash("sha256").update(readFileSync(path)).digest("hex"), listed.sha256)
          .equal("bytes", (await openFile(path)).size, listed.bytes);
        await compareInstallation(comparison, path, expected);
      },
    );
  }
  yield await siteCase(folder);
}

/** Blocks that a reader without knowledge of the next blocks requires: for rewards, hashes and fork detection. */
function expectedOutcome({ blocks }: ListedArchive, { best }: ExpectedChain): "accept" | "refuse" {
  return blocks >= Math.min(best.number, 449) ? "accept" : "refuse";
}

/** Tests intact archives with the content that the faulty ones also have. */
export async function* miniArchives(folder: string): AsyncGenerator<CaseResult> {
  for (const name of ["v1.bin", "v2.bin"]) {
    yield await outcomeCase(`mini/${name}`, "accept", (comparison) =>
      compareInstallation(comparison, join(folder, name), continuation(folder)),
    );
  }
}
