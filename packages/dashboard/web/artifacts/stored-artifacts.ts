import { keccak256 } from "viem";
import { type Artifact, withoutSources } from "../../src/artifacts/artifact.js";
import { constructorArguments, matchesCode } from "../../src/artifacts/match-code.js";
import type { Hex } from "../node/types.js";

/** Key of the artifacts in the browser, which stores them if the node does not. */
const KEY = "cambium-artifacts";
const MAX_STORED = 100;
/** Browsers keep some five million. */
const MAX_CHARACTERS = 3_000_000;

interface Stored {
  artifact: Artifact;
  /** Digests of the codes that it was given for. */
  codes: readonly string[];
}

export function hasStored(): boolean {
  return read().length > 0;
}

/** The stored artifact of deployed code. */
export function findStored(code: Hex): Artifact | undefined {
  const digest = keccak256(code);
  const all = read();
  const found =
    all.find(({ codes }) => codes.includes(digest)) ?? all.find(({ artifact }) => matchesCode(artifact, code));
  return found?.artifact;
}

/** The stored artifact of a contract, by the input of its creation. */
export function findStoredCreation(input: string): Artifact | undefined {
  return read().find(({ artifact }) => constructorArguments(artifact, input) !== undefined)?.artifact;
}

/**
 * Stores an artifact for code, then others if there is room; the oldest ones make room for the first. Returns whether
 * the browser stores it.
 */
export function store(artifact: Artifact, code: Hex, others: readonly Artifact[] = []): boolean {
  const digest = keccak256(code);
  const before = read().filter(({ codes }) => !codes.includes(digest));
  const known = new Set(before.map((one) => JSON.stringify(one.artifact)));
  const added = others.map(withoutSources).filter((one) => !known.has(JSON.stringify(one)));
  const all: Stored[] = [
    { artifact: withoutSources(artifact), codes: [digest] },
    ...before,
    ...added.map((one) => ({ artifact: one, codes: [] })),
  ].slice(0, MAX_STORED);
  let text = JSON.stringify(all);
  while (text.length > MAX_CHARACTERS && all.pop() !== undefined) text = JSON.stringify(all);
  try {
    localStorage.setItem(KEY, text);
    return all.length > 0;
  } catch {
    return false;
  }
}

function read(): readonly Stored[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(stored) ? (stored as Stored[]) : [];
  } catch {
    return [];
  }
}
