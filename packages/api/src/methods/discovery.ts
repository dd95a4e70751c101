import { defineMethod, type MethodDefinition } from "../definition/method.js";

/** OpenRPC service discovery. */
export const DISCOVERY_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "rpc.discover",
    summary: "OpenRPC description of the enabled methods: parameters, results, errors and examples",
    params: [],
    result: { type: "object" },
    example: "written",
    async handler({ servedMethods, clientVersion, ...context }) {
      // On demand, because of the examples.
      const { openRpcDocument } = await import("../discovery/openrpc.js");
      return openRpcDocument(servedMethods, clientVersion.split("/")[1] ?? clientVersion, context);
    },
  }),
];
