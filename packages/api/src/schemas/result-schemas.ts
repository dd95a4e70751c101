import type { JsonSchema } from "../params/param-type.js";

// Result schemas in the value types of `spec/09 §4.1`, for the generated documentation.

export const QUANTITY: JsonSchema = { title: "QUANTITY", type: "string", pattern: "^0x(0|[1-9a-f][0-9a-f]*)$" };
export const BYTES: JsonSchema = { title: "DATA", type: "string", pattern: "^0x([0-9a-f]{2})*$" };
export const BYTES_32: JsonSchema = { title: "DATA 32", type: "string", pattern: "^0x[0-9a-f]{64}$" };
export const TEXT: JsonSchema = { type: "string" };
export const TRUTH: JsonSchema = { type: "boolean" };
export const NULL: JsonSchema = { type: "null" };

/** Names of the trace objects of `spec/09 §12`. */
type TraceName = "DebugTrace" | "BlockTrace" | "Trace" | "TraceResults";

/** Names of the scoring objects of `spec/09 §13.6`. */
type ScoringName = "PeerScoring" | "ReputationSummary";

/** Names of the objects of `admin`. */
type AdminName = "NodeInfo" | "NodeStatus" | "ConnectedPeer" | "ReloadedConfig";

/** A named object (`spec/09 §6`, `§8`, `§11`). */
export function resource(
  name:
    | "Block"
    | "Header"
    | "Transaction"
    | "Receipt"
    | "Log"
    | "SyncStatus"
    | "AccountProof"
    | "BridgeState"
    | "FeeHistory"
    | "AccessList"
    | "SimulatedBlock"
    | "BundledResult"
    | TraceName
    | ScoringName
    | AdminName,
): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

export function orNull(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, NULL] };
}

export function arrayOf(items: JsonSchema): JsonSchema {
  return { type: "array", items };
}
