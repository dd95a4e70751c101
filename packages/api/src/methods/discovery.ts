import { isDeployed } from "../compatibility.js";
import type { MethodDefinition } from "../definition/method.js";
import { openRpcDocument } from "../discovery/openrpc.js";

/** OpenRPC service discovery. */
export const DISCOVERY_METHODS: readonly MethodDefinition[] = [
  {
    name: "rpc.discover",
    module: "rpc",
    summary: "OpenRPC description of the enabled methods: parameters, results, errors and examples",
    params: [],
    result: { type: "object" },
    handler: ({ servedMethods, clientVersion, config }) =>
      openRpcDocument(servedMethods, clientVersion.split("/")[1] ?? clientVersion, isDeployed(config)),
  },
];
