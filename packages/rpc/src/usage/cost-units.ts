import type { MethodCost } from "@cambium/api";

/** Cost units of a request, by the cost of its method. */
export const COST_UNITS: Readonly<Record<MethodCost, number>> = { read: 1, call: 5, send: 5, logs: 10, trace: 50 };
