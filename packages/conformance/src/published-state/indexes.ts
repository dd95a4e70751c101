import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ChosenArchive, chooseArchive, PublishedStateError, readIndexes } from "@cambium/chain-maintenance";
import { fromHex, toHex } from "@cambium/primitives";
import { Comparison } from "../comparison.js";
import type { CaseResult, VectorFile } from "../interface.js";
import { outcomeCase } from "./archives.js";
import { type ExpectedChain, type IndexCase, readJson } from "./formats.js";
import { compareInstallation } from "./installation.js";

/** The base address of a network's published state, as folders. */
interface Site {
  /** Folder with the indexes. */
  indexes: string;
  /** Folder to which the paths of archives are relative. */
  archives: string;
  signers: readonly Uint8Array[];
}

/** Sets of three indexes: which archive they lead to, and its installation. */
export async function* indexCases(folder: string, cases: VectorFile): AsyncGenerator<CaseResult> {
  const signers = signersIn(join(folder, "../keys.json"));
  for (const [name, { careful, deployed }] of Object.entries(JSON.parse(cases.text()) as Record<string, IndexCase>)) {
    const site = { indexes: join(folder, name), archives: folder, signers };
    const height = /^accept: height (\d+)/.exec(careful)?.[1];
    yield await outcomeCase(`index/${name}`, height === undefined ? "refuse" : "accept", async (comparison) => {
      const chosen = await chooseFrom(site);
      const path = archiveOf(site, chosen);
      if (height !== undefined) comparison.equal("height", chosen.height, height);
      await compareInstallation(comparison, path, { best: deployed.best, height: chosen.height });
    });
  }
}

/** The choice of a site that publishes the archives of a chain. */
export async function siteCase(folder: string): Promise<CaseResult> {
  const indexes = join(folder, "site");
  const site = { indexes, archives: indexes, signers: signersIn(join(folder, "../keys.json")) };
  const chosen = await chooseFrom(site);
  archiveOf(site, chosen);
  return new Comparison(`${folder.split("/").at(-1)}/site`)
    .equal("height", chosen.height, readJson<ExpectedChain>(folder, "expected.json").best.number)
    .result();
}

async function chooseFrom({ indexes, signers }: Site): Promise<ChosenArchive> {
  const found = await readIndexes(signers, async (path) => readFileSync(join(indexes, path), "utf8"));
  return chooseArchive(found.indexes, signers.length);
}

/** Returns the first file of an archive. Throws {@link PublishedStateError} if it is missing or a different one. */
function archiveOf({ archives }: Site, { paths, hash }: ChosenArchive): string {
  const path = join(archives, paths[0]!);
  if (!existsSync(path)) throw refused("there is no such file");
  const actual = createHash("sha256").update(readFileSync(path)).digest("hex");
  if (actual !== toHex(hash)) throw refused(`its SHA-256 is ${actual}`);
  return path;
}

function signersIn(path: string): Uint8Array[] {
  return (JSON.parse(readFileSync(path, "utf8")) as { publicKey: string }[]).map(({ publicKey }) => fromHex(publicKey));
}

function refused(reason: string): PublishedStateError {
  return new PublishedStateError({ code: "ARCHIVE_FILE", reason });
}
