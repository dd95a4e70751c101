import type { CaseResult } from "./interface.js";

/** Collects the differences between expected and actual values of a case. */
export class Comparison {
  private readonly differences: string[] = [];

  constructor(private readonly name: string) {}

  /** Values are compared by their text: a hex string, a number or a bigint in decimal. */
  equal(what: string, actual: unknown, expected: unknown): this {
    const [mine, theirs] = [text(actual), text(expected)];
    if (mine !== theirs) this.differences.push(`${what} is ${abridge(mine)} instead of ${abridge(theirs)}`);
    return this;
  }

  result(): CaseResult {
    const { name, differences } = this;
    return differences.length === 0
      ? { name, outcome: "passed" }
      : { name, outcome: "failed", reason: differences.join("; ") };
  }
}

function text(value: unknown): string {
  if (value === null || value === undefined) return "absent";
  if (Array.isArray(value)) return `[${value.map(text).join(", ")}]`;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function abridge(value: string): string {
  return value.length <= 140 ? value : `${value.slice(0, 137)}...`;
}

export function pending(name: string, reason: string): CaseResult {
  return { name, outcome: "pending", reason };
}

export function failed(name: string, reason: string): CaseResult {
  return { name, outcome: "failed", reason };
}
