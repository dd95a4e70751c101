import { hasMethodAliases } from "../compatibility.js";
import type { MethodDefinition } from "../definition/method.js";
import type { JsonSchema } from "../params/param-type.js";
import { SCHEMAS } from "../schemas/schemas.js";
import { type ErrorContext, errorsOf } from "./documented-errors.js";
import { examplesOf } from "./method-examples.js";

/** OpenRPC document (version 1.3.2) of the enabled methods, generated from the method table. */
export function openRpcDocument(methods: readonly MethodDefinition[], version: string, context: ErrorContext): object {
  return {
    openrpc: "1.3.2",
    info: { title: "Node JSON-RPC service", version },
    methods: methods.flatMap((method) => {
      const names = hasMethodAliases(context.config) ? [method.name, ...method.aliases] : [method.name];
      return names.map((name) => methodObject(name, method, context));
    }),
    components: { schemas: SCHEMAS },
  };
}

function methodObject(name: string, method: MethodDefinition, context: ErrorContext): object {
  const { summary, params, result } = method;
  return {
    name,
    summary,
    description: method.needsConnection ? "Available over WebSocket only." : undefined,
    tags: [{ name: method.module }],
    paramStructure: "by-position",
    params: params.map((param) => ({ name: param.name, required: param.required, schema: paramSchema(param) })),
    result: { name: "result", schema: result },
    errors: errorsOf(method, context),
    examples: examplesOf(method).map((example, i) => ({
      name: `example ${i + 1}`,
      params: example.params.map((value, j) => ({ name: params[j]!.name, value })),
      result: { name: "result", value: example.result },
    })),
  };
}

function paramSchema({ type, required }: MethodDefinition["params"][number]): JsonSchema {
  return required ? type.schema : { anyOf: [type.schema, { type: "null" }] };
}
