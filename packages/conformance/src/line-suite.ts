import type { z } from "zod";
import { failed } from "./comparison.js";
import { ConformanceError } from "./errors.js";
import type { CaseResult, VectorSuite } from "./interface.js";
import { parseLines, someFirstLine } from "./lines.js";

/** A suite of JSON lines, one case each, recognised by the members that every case has. */
export function lineSuite<Case>(
  name: string,
  members: readonly string[],
  schema: z.ZodType<Case>,
  result: (name: string, one: Case) => CaseResult,
): VectorSuite {
  const marks = members.map((member) => new RegExp(`"${member}"\\s*:`));
  return {
    name,

    async accepts(file) {
      if (!/\.jsonl$/.test(file.name)) return false;
      return someFirstLine(file, (line) => marks.every((mark) => mark.test(line)));
    },

    async *run(files) {
      for (const file of files) {
        for await (const parsed of parseLines(file, (json) => parseCase(schema, json))) {
          const caseName = `${file.name}:${parsed.line}`;
          yield "fault" in parsed ? failed(caseName, parsed.fault) : result(caseName, parsed.value);
        }
      }
    },
  };
}

function parseCase<Case>(schema: z.ZodType<Case>, json: unknown): Case {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  throw new ConformanceError({ code: "MALFORMED", reason: `${path.join(".")}: ${message}` });
}
