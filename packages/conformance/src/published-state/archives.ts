import { join } from "node:path";
import { PublishedStateError } from "@cambium/chain-maintenance";
import { Comparison } from "../comparison.js";
import { describeError } from "../errors.js";
import type { CaseResult, VectorFile } from "../interface.js";
import { type ExpectedChain, type FaultyCase, readJson } from "./formats.js";
import { compareInstallation } from "./installation.js";

/** Unpacked archives with one fault each, and good ones. */
export function faultyData(folder: string, cases: VectorFile): AsyncGenerator<CaseResult> {
  return faulty(folder, cases, ".bin");
}

/** The same for zip files. */
export function faultyFiles(folder: string, cases: VectorFile): AsyncGenerator<CaseResult> {
  return faulty(folder, cases, ".zip");
}

async function* faulty(folder: string, cases: VectorFile, suffix: string): AsyncGenerator<CaseResult> {
  const expected = continuation(join(folder, "../mini"));
  for (const [name, { careful }] of Object.entries(JSON.parse(cases.text()) as Record<string, FaultyCase>)) {
    yield await outcomeCase(`${cases.folder}/${name}`, careful, (comparison) =>
      compareInstallation(comparison, join(folder, `${name}${suffix}`), expected),
    );
  }
}

/** Expectations in the folder of a chain. */
export function continuation(folder: string): { chain: ExpectedChain; next: string } {
  return { chain: readJson<ExpectedChain>(folder, "expected.json"), next: join(folder, "next.blocks.txt") };
}

/** A case that is accepted, or refused with a reason. */
export async function outcomeCase(
  name: string,
  expected: "accept" | "refuse",
  run: (comparison: Comparison) => Promise<void>,
): Promise<CaseResult> {
  const comparison = new Comparison(name);
  try {
    await run(comparison);
    comparison.equal("outcome", "accept", expected);
  } catch (error) {
    const isExpected = expected === "refuse" && error instanceof PublishedStateError;
    comparison.equal("outcome", isExpected ? expected : describeError(error), expected);
  }
  return comparison.result();
}
