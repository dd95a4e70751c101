import * as z from "zod";
import { ConformanceError } from "../errors.js";
import { parseWith, STORY } from "../stories/format.js";

// Format of `test/vectors/traps/README.md`: a story, its subject, and the state after it.

const text = z.string().min(1);
const account = z.object({ nonce: text, balance: text, contract: z.boolean().default(false) });

const TRAP = STORY.extend({
  /** Height at which the network's chain first depends on the rule. */
  height: z.number().int(),
  /** The rule in one sentence. */
  rule: text,
  /** Section of the specification. */
  spec: text,
  /** Values of the network's own chain; the recorded result at the path `at` contains `value`. */
  figures: z.array(z.object({ what: text, at: text, value: text })).default([]),
  /** Cells of the bridge after the last block, by name or by the 32 bytes of their address; null for an absent one. */
  cells: z.record(text, text.nullable()).default({}),
  /** Accounts after the last block; null for an absent one. */
  accounts: z.record(text, account.nullable()).default({}),
});

/** A story at a height where clients have had faults. */
export type Trap = z.infer<typeof TRAP>;

/**
 * Parses a line. Throws {@link ConformanceError} `MALFORMED`, which names the first malformed member, or the figure
 * that the recorded results lack.
 */
export function parseTrap(json: unknown): Trap {
  const trap = parseWith(TRAP, json);
  const lacking = trap.figures.find(({ at, value }) => !memberAt(json, at).includes(value));
  if (lacking === undefined) return trap;
  const { what, at, value } = lacking;
  throw new ConformanceError({ code: "MALFORMED", reason: `story ${trap.name}, ${at}: lacks ${value} (${what})` });
}

/** The text at a path such as `blocks.0.results.1.gasUsed`; empty if there is none. */
function memberAt(json: unknown, path: string): string {
  const found = path.split(".").reduce<unknown>((node, key) => (node as Record<string, unknown> | null)?.[key], json);
  return typeof found === "string" ? found : "";
}
