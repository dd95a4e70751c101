/** The OpenRPC document that `rpc.discover` returns, as far as the playground needs it. */

export interface Schema {
  $ref?: string;
  title?: string;
  type?: string;
  enum?: readonly unknown[];
  pattern?: string;
  anyOf?: readonly Schema[];
  properties?: Readonly<Record<string, Schema>>;
  items?: Schema;
}

export interface MethodParam {
  name: string;
  required: boolean;
  schema: Schema;
}

export interface Method {
  name: string;
  summary: string;
  params: readonly MethodParam[];
  result?: { schema: Schema };
  examples?: readonly { params: readonly { value: unknown }[] }[];
}

export interface OpenRpc {
  methods: readonly Method[];
  components: { schemas: Readonly<Record<string, Schema>> };
}

/** Describes the values of a parameter in a few words. */
export function describe(schema: Schema): string {
  const { $ref, title, type, anyOf, pattern } = schema;
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf("/") + 1);
  if (title !== undefined) return title;
  if (schema.enum !== undefined) return schema.enum.join(", ");
  if (anyOf !== undefined)
    return [...new Set(anyOf.filter(({ type: one }) => one !== "null").map(describe))].join(" or ");
  if (type === "string" && pattern !== undefined) return "hex or number";
  return type ?? "any value";
}

/** Words that a parameter accepts, such as `latest`. */
export function wordsOf({ enum: own, anyOf = [], type }: Schema): string[] {
  if (type === "boolean") return ["true", "false"];
  return [...(own ?? []).map(String), ...anyOf.flatMap(wordsOf)];
}

/** Whether a value is written as JSON over several lines. */
export function isStructured({ $ref, type, anyOf = [] }: Schema): boolean {
  if ($ref !== undefined || type === "array") return true;
  const choices = anyOf.filter((one) => one.type !== "null");
  if (choices.length > 0) return choices.every(isStructured);
  return type === "object";
}

function acceptsText({ $ref, type, enum: own, anyOf = [] }: Schema): boolean {
  if ($ref !== undefined) return false;
  return type === "string" || own?.some((one) => typeof one === "string") === true || anyOf.some(acceptsText);
}

/** Formats a value as a user writes it: text without quotation marks, everything else as JSON. */
export function written(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
}

/**
 * Parses the parameters of a request from the user's input; optional ones at the end may be left out. Throws an `Error`
 * that names the parameter that is missing or no JSON.
 */
export function readParams(params: readonly MethodParam[], texts: readonly string[]): unknown[] {
  const values = params.map((param, index) => readParam(param, texts[index]?.trim() ?? ""));
  while (values.length > 0 && values.at(-1) === undefined) values.pop();
  return values.map((value) => (value === undefined ? null : value));
}

function readParam({ name, required, schema }: MethodParam, text: string): unknown {
  if (text === "") {
    if (required) throw new Error(`${name} is missing`);
    return undefined;
  }
  if (acceptsText(schema) && !/^[[{"]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    if (!isStructured(schema)) return text;
    throw new Error(`${name} is not JSON`);
  }
}

/** A command for a shell that sends the same request. */
export function curlOf(url: string, request: object): string {
  const body = JSON.stringify(request).replaceAll("'", "'\\''");
  return `curl -s -H 'Content-Type: application/json' --data '${body}' '${url.replaceAll("'", "%27")}'`;
}
