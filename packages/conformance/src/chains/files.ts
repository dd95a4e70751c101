import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { VectorFile } from "../interface.js";

/** A chain's block files and the companion file with the expected results. */
export interface ChainFiles {
  name: string;
  /** Block files in order. */
  blocks: readonly VectorFile[];
  companion: VectorFile | undefined;
}

const BLOCKS = /^(.+)\.blocks(?:\.(\d+))?\.txt$/;
const COMPANION = /^(.+)\.json$/;

/** Whether a file belongs to a chain, by its name, or by its folder and name. */
export function isChainFile(file: VectorFile): boolean {
  if (BLOCKS.test(file.name)) return true;
  if (!COMPANION.test(file.name) || file.name === "index.json") return false;
  return file.folder === "chains" || looksLikeCompanion(file.text().slice(0, 20_000));
}

function looksLikeCompanion(start: string): boolean {
  return start.includes('"genesisHash"') && start.includes('"genesisStateRoot"');
}

/** Groups files by chain: the files in a folder that share the chain's name. */
export function groupChains(files: readonly VectorFile[]): ChainFiles[] {
  const chains = new Map<string, VectorFile[]>();
  for (const file of files) {
    const key = `${dirname(file.path)}/${chainName(file)}`;
    chains.set(key, [...(chains.get(key) ?? []), file]);
  }
  return [...chains.values()].map((group) => ({
    name: chainName(group[0]!),
    blocks: group.filter((file) => BLOCKS.test(file.name)).sort((a, b) => part(a) - part(b)),
    companion: group.find((file) => !BLOCKS.test(file.name)),
  }));
}

/** Paths of the other files of a file's chain, in the same folder. */
export function otherFiles(file: VectorFile): string[] {
  const folder = dirname(file.path);
  const isOther = (name: string) =>
    name !== basename(file.path) && chainName({ name: name.replace(/\.gz$/, "") }) === chainName(file);
  return readdirSync(folder)
    .filter(isOther)
    .map((name) => join(folder, name));
}

function chainName({ name }: Pick<VectorFile, "name">): string {
  return (BLOCKS.exec(name) ?? COMPANION.exec(name))?.[1] ?? name;
}

function part(file: VectorFile): number {
  return Number(BLOCKS.exec(file.name)?.[2] ?? 0);
}
