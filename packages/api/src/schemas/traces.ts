import type { JsonSchema } from "../params/param-type.js";
import { arrayOf, BYTES, BYTES_32, objectOf, resource } from "./values.js";

const TRACE_RESULT: JsonSchema = { type: ["object", "null"] };

/** Traces of `spec/09 §12`. */
export const TRACES = {
  DebugTrace: { title: "struct logs, call frames, accounts or counts, depending on the tracer", ...TRACE_RESULT },
  BlockTrace: { title: "a transaction's hash and trace", ...TRACE_RESULT },
  Trace: { title: "one step of a transaction's call tree", ...TRACE_RESULT },
  TraceResults: objectOf(
    {
      output: BYTES,
      stateDiff: { title: "changes by address, or null", type: ["object", "null"] },
      trace: arrayOf(resource("Trace")),
      vmTrace: { title: "steps of the code that ran, or null", type: ["object", "null"] },
      transactionHash: BYTES_32,
    },
    ["transactionHash"],
  ),
} satisfies Readonly<Record<string, JsonSchema>>;
