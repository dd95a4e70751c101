import { METHODS, type MethodDefinition } from "@cambium/api";
import { errorsOf, examplesOf, SCHEMAS } from "@cambium/api/discovery";
import { NETWORKS } from "@cambium/config";
import { DEFAULT_RPC_CONFIG } from "../src/index.js";
import { differencesSection } from "./differences.js";

type Schema = Readonly<Record<string, unknown>>;

/** Longer responses are truncated. */
const EXAMPLE_CHARACTERS = 600;

/** Requirement of a method, by the part of the node that it uses; none for a part that every node has. */
const REQUIREMENTS: Readonly<Partial<Record<NonNullable<MethodDefinition["needs"]>, string>>> = {
  miner: "serves block templates (`--miner.server`)",
  localMiner: "has the built-in miner (networks local and dev)",
  scoring: "connects to peers (`--p2p`)",
  network: "connects to peers (`--p2p`)",
  admin: "is no replica",
  developer: "is `node-cli dev`, and only this machine can connect",
};

/** Errors as the default configuration has them. */
const ERRORS = { chain: { network: NETWORKS.main }, config: DEFAULT_RPC_CONFIG };

/** `docs/json-rpc.md`, generated from the method table. */
export function jsonRpcPage(): string {
  const modules = [...new Set(METHODS.map(({ module }) => module))];
  return [
    "# JSON-RPC methods",
    "",
    "Generated from the method table by `npm run docs`; `rpc.discover` returns the same as an OpenRPC document.",
    "",
    "| Module | Enabled by default | Methods |",
    "|---|---|---|",
    ...modules.map(
      (module) => `| [\`${module}\`](#${module}) | ${onByDefault(module)} | ${methodsOf(module).length} |`,
    ),
    "",
    ...modules.flatMap((module) => [`## ${module}`, "", ...methodsOf(module).flatMap(methodSection)]),
    ...differencesSection(),
    "## Objects",
    "",
    ...Object.entries(SCHEMAS).flatMap(([name, schema]) => objectSection(name, schema)),
  ]
    .join("\n")
    .replace(/\n+$/, "\n");
}

function methodsOf(module: string): MethodDefinition[] {
  return METHODS.filter((method) => method.module === module && method.sameAs === undefined);
}

function onByDefault(module: string): string {
  const enabled = DEFAULT_RPC_CONFIG.modules[module]?.enabled;
  return enabled === "own-machine" ? "on this machine" : enabled ? "yes" : "no";
}

function methodSection(method: MethodDefinition): string[] {
  const { name, summary, params, result, needs, needsConnection, aliases } = method;
  const required = needs && REQUIREMENTS[needs];
  const otherNames = METHODS.filter(({ sameAs }) => sameAs === name).map((other) => other.name);
  return [
    `### ${name}`,
    "",
    `${summary}.`,
    ...(needsConnection ? ["Available over WebSocket only."] : []),
    ...(required === undefined ? [] : [`Available only if the node ${required}.`]),
    ...(otherNames.length > 0 ? [`Also named ${otherNames.map((other) => `\`${other}\``).join(", ")}.`] : []),
    ...(aliases.length > 0 ? [`Deployed name: ${aliases.map((alias) => `\`${alias}\``).join(", ")}.`] : []),
    "",
    ...params.map((param, i) => {
      return `${i + 1}. \`${param.name}\`${param.required ? "" : " (optional)"}: ${describe(param.type.schema)}`;
    }),
    ...(params.length > 0 ? [""] : []),
    `Result: ${describe(result)}`,
    "",
    `Errors: ${errorsOf(method, ERRORS)
      .map(({ code, message }) => `${code} (${message})`)
      .join(", ")}`,
    "",
    ...exampleLines(method),
  ];
}

function exampleLines(method: MethodDefinition): string[] {
  const [example] = examplesOf(method);
  if (example === undefined) return [];
  const request = JSON.stringify({ jsonrpc: "2.0", id: 1, method: method.name, params: example.params });
  const response = JSON.stringify({ jsonrpc: "2.0", id: 1, result: example.result });
  const shown = response.length > EXAMPLE_CHARACTERS ? `${response.slice(0, EXAMPLE_CHARACTERS)} …` : response;
  return ["```", `-> ${request}`, `<- ${shown}`, "```", ""];
}

function objectSection(name: string, schema: Schema): string[] {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  if (properties.length === 0) return [`### ${name}`, "", `${describe(schema)}`, ""];
  const rows = properties.map(([member, type]) => `| \`${member}\` | ${describe(type)} |`);
  return [`### ${name}`, "", "| Member | Value |", "|---|---|", ...rows, ""];
}

/** A short description of a schema. */
function describe(schema: Schema): string {
  const { $ref, title, anyOf, allOf, enum: values, const: value, type, items, properties } = schema;
  if (typeof $ref === "string") return `[${$ref.split("/").at(-1)}](#${$ref.split("/").at(-1)!.toLowerCase()})`;
  if (typeof title === "string") return title;
  if (Array.isArray(allOf)) return allOf.map(describe).join(", and ");
  if (Array.isArray(anyOf)) return anyOf.map(describe).join(", or ");
  if (Array.isArray(values)) return values.map((one) => `\`${JSON.stringify(one)}\``).join(", ");
  if (value !== undefined) return `\`${JSON.stringify(value)}\``;
  if (type === "array") return `list of ${items === undefined ? "any value" : describe(items as Schema)}`;
  if (type === "object" && properties !== undefined) {
    const members = Object.entries(properties as Record<string, Schema>);
    return `object with ${members.map(([name, one]) => `\`${name}\` (${describe(one)})`).join(", ")}`;
  }
  if (typeof schema.pattern === "string") return `text like \`${schema.pattern.replaceAll("|", "\\|")}\``;
  return Array.isArray(type) ? type.join(" or ") : String(type ?? "any value");
}
