import { styleText } from "node:util";
import { pino } from "pino";
import { progressBar } from "../output.js";

/** A line of the log as pino writes it. */
interface Entry {
  level: number;
  /** ISO 8601. */
  time: string;
  package?: string;
  msg?: string;
  err?: { stack?: string; message?: string };
  /** Progress of a synchronisation, from `current` to `target`, or of a snapshot, from `done` to `total`. */
  progress?: { current?: number; target?: number; done?: number; total?: number };
  [field: string]: unknown;
}

/** Markup that a line may contain besides plain text. */
export interface TextStyle {
  isTerminal: boolean;
  hasColours: boolean;
}

const PLAIN: TextStyle = { isTerminal: false, hasColours: false };

type Style = Parameters<typeof styleText>[0];
const STYLES: Readonly<Record<string, Style>> = {
  trace: "gray",
  debug: "gray",
  info: "green",
  warn: "yellow",
  error: "red",
  fatal: "red",
};
const LEVEL_WIDTH = 5;
const PACKAGE_WIDTH = 6;
const BAR_WIDTH = 20;

/** Control characters, and those that change the direction of a text: peers choose some parts of the log. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Formats a JSON line of the log as text: time (UTC), level, package, message, and the fields. Fields that are objects
 * are left out: they repeat the message for programs. But on a terminal a progress has a bar. Text that is no JSON line
 * is returned unchanged.
 */
export function textLine(json: string, { isTerminal, hasColours }: TextStyle = PLAIN): string {
  let entry: Entry;
  try {
    entry = JSON.parse(json) as Entry;
  } catch {
    return json;
  }
  const { level, time, package: name = "node", msg = "", err, ...fields } = entry;
  const label = pino.levels.labels[level] ?? String(level);
  const paint = (style: Style, text: string) => (hasColours ? styleText(style, text, { validateStream: false }) : text);
  const parts = [
    paint("gray", time.replace("T", " ")),
    paint(STYLES[label] ?? "white", label.toUpperCase().padEnd(LEVEL_WIDTH)),
    paint("cyan", name.padEnd(PACKAGE_WIDTH)),
    ...(isTerminal ? bar(fields.progress) : []),
    safe(msg),
    ...Object.entries(fields).flatMap(([key, value]) => {
      const text = fieldText(value);
      return text === undefined ? [] : [`${paint("gray", `${key}=`)}${text}`];
    }),
  ];
  return `${parts.join(" ")}\n${err === undefined ? "" : errorText(err)}`;
}

function bar({ current = 0, target = 0, done = current, total = target }: Entry["progress"] = {}): string[] {
  return total > done ? [progressBar(done / total, BAR_WIDTH)] : [];
}

function fieldText(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.map(fieldText).join(",");
  if (typeof value === "object") return value === null ? "null" : undefined;
  const text = String(value);
  return safe(/[\s="]|^$/.test(text) ? JSON.stringify(text) : text);
}

function errorText({ stack, message = "" }: NonNullable<Entry["err"]>): string {
  const lines = (stack ?? message).split("\n");
  return lines.map((line) => `    ${safe(line.trim())}\n`).join("");
}

function safe(text: string): string {
  return text.replace(UNSAFE, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
