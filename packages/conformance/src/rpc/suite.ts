import { isJsonObject } from "@cambium/primitives";
import type { CaseResult, VectorFile, VectorSuite } from "../interface.js";
import { type ClientCase, runClientNeeds } from "./clients.js";
import { type EnvelopeCase, runEnvelopes } from "./envelope.js";
import { type FormatCases, runFormats } from "./formats.js";
import { type MethodCase, runMethods } from "./methods.js";
import { runSubscriptions, type SubscriptionsFile } from "./subscriptions.js";
import { runValidation, type ValidationCase } from "./validation.js";

type Json = Readonly<Record<string, unknown>>;

/** JSON-RPC as clients see it (`test/vectors/rpc`). */
export const rpcSuite: VectorSuite = {
  name: "rpc",

  accepts(file) {
    if (!file.name.endsWith(".json")) return false;
    return file.folder === "rpc" || runnerOf(file) !== undefined;
  },

  async *run(files) {
    for (const file of files) {
      const run = runnerOf(file);
      if (run === undefined) yield { name: file.name, outcome: "failed", reason: "unknown format" };
      else yield* run(file.name.replace(/\.json$/, ""));
    }
  },
};

/** The runner of a file, by the members of its cases; undefined if the file does not belong to this suite. */
function runnerOf(file: VectorFile): ((name: string) => AsyncIterable<CaseResult>) | undefined {
  const content = parsed(file);
  if (content === undefined) return undefined;
  const { cases, requests, notifications } = content;
  if (Array.isArray(requests) && Array.isArray(notifications)) {
    return (name) => runSubscriptions(name, content as unknown as SubscriptionsFile);
  }
  if (has(cases, "method", "params", "result")) return (name) => runMethods(name, cases as MethodCase[]);
  if (has(cases, "method", "params", "error")) return (name) => runValidation(name, cases as ValidationCase[]);
  if (has(cases, "name", "status", "response")) return (name) => runEnvelopes(name, cases as EnvelopeCase[]);
  if (has(cases, "need")) return (name) => runClientNeeds(name, cases as ClientCase[]);
  if (isJsonObject(cases) && "quantity" in cases) return (name) => runFormats(name, cases as FormatCases);
  return undefined;
}

/** Parsed content of a file that may belong to this suite, whose files are small. */
function parsed(file: VectorFile): Json | undefined {
  const text = file.text();
  if (text.length > MAX_LENGTH || !text.trimStart().startsWith("{")) return undefined;
  const content: unknown = JSON.parse(text);
  return isJsonObject(content) ? content : undefined;
}

const MAX_LENGTH = 1_000_000;

/** Whether a value is a list whose first element has all these members. */
function has(value: unknown, ...members: readonly string[]): boolean {
  const first: unknown = Array.isArray(value) ? value[0] : undefined;
  return isJsonObject(first) && members.every((member) => member in first);
}
