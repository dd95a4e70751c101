/** Kinds of methods by what they cost, and the cost units of a request of each. */
export const METHOD_CLASSES = { read: 1, call: 5, send: 5, logs: 10, trace: 50 } as const;

export type MethodClass = keyof typeof METHOD_CLASSES;

const LOGS: readonly string[] = ["eth_getLogs", "eth_getFilterLogs"];
const CALLS: readonly string[] = [
  "eth_call",
  "eth_callMany",
  "eth_createAccessList",
  "eth_estimateGas",
  "eth_feeHistory",
  "eth_fillTransaction",
  "eth_getAccount",
  "eth_getProof",
  "eth_simulateV1",
];

/** The class of a method by its name; methods that do not exist cost as much as a read. */
export function classOf(method: string): MethodClass {
  if (method.startsWith("trace_") || method.startsWith("debug_trace")) return "trace";
  if (method.startsWith("eth_send") || method.startsWith("mnr_submit")) return "send";
  if (LOGS.includes(method)) return "logs";
  return CALLS.includes(method) ? "call" : "read";
}
