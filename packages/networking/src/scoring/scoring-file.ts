import { mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { replaceFile } from "@cambium/primitives";
import { SCORING_EVENTS } from "./events.js";
import type { StoredScoreCard } from "./score-card.js";

/** Scores and bans that are stored across restarts. */
export interface StoredScoring {
  nodes: readonly (readonly [peer: string, card: StoredScoreCard])[];
  addresses: readonly (readonly [ip: string, card: StoredScoreCard])[];
  /** Bans of the operator that are not configured. */
  banned: readonly string[];
}

const VERSION = 1;
const EMPTY: StoredScoring = { nodes: [], addresses: [], banned: [] };

/**
 * Reads the file. Returns empty lists if there is none. Throws errors of the file system, or an `Error` for invalid
 * content.
 */
export function readScoringFile(path: string): StoredScoring {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return EMPTY;
    throw error;
  }
  const content: unknown = JSON.parse(text);
  if (!isStoredScoring(content)) throw new Error("it is not a scoring file of this version");
  return content;
}

/** Replaces the file atomically and creates its folder. Throws errors of the file system. */
export function writeScoringFile(path: string, scoring: StoredScoring): void {
  mkdirSync(dirname(path), { recursive: true });
  replaceFile(path, JSON.stringify({ version: VERSION, ...scoring }), { mode: 0o600 });
}

function isStoredScoring(value: unknown): value is StoredScoring {
  return (
    isRecord(value) &&
    value.version === VERSION &&
    areCards(value.nodes) &&
    areCards(value.addresses) &&
    Array.isArray(value.banned) &&
    value.banned.every((text) => typeof text === "string")
  );
}

function areCards(value: unknown): boolean {
  const isEntry = (entry: unknown) =>
    Array.isArray(entry) && entry.length === 2 && typeof entry[0] === "string" && isCard(entry[1]);
  return Array.isArray(value) && value.every(isEntry);
}

function isCard(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { counters, score, punishments, punishedAt, punishedFor } = value;
  return (
    Number.isSafeInteger(score) &&
    [punishments, punishedAt, punishedFor].every(isCount) &&
    isRecord(counters) &&
    SCORING_EVENTS.every((event) => counters[event] === undefined || isCount(counters[event]))
  );
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
