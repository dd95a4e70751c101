import { defineMethod, type MethodDefinition } from "../definition/method.js";
import { openRpcDocument } from "../discovery/openrpc.js";

/** OpenRPC service discovery. */
export const DISCOVERY_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "rpc.discover",
    summary: "OpenRPC description of the enabled methods: parameters, results, errors and examples",
    params: [],
    result: { type: "object" },
    example: "written",
    handler: ({ servedMethods, clientVersion, ...context }) =>
      openRpcDocument(servedMethods, clientVersion.split("/")[1] ?? clientVersion, context),
  }),
];
