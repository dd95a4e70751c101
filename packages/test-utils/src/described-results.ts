import { Ajv, type ValidateFunction } from "ajv";

/** Any JSON value. */
type Json = ReturnType<typeof JSON.parse>;

/** The results of methods as a node describes them in the answer to `rpc.discover`, which is requested once. */
export class DescribedResults {
  private validators: Promise<Map<string, () => ValidateFunction>> | undefined;

  constructor(private readonly send: (method: string) => Promise<Json>) {}

  /** Rejects if a result is not as described. A node without a description has no rules. */
  async check(method: string, params: readonly unknown[], result: Json): Promise<void> {
    this.validators ??= this.send("rpc.discover").then(validatorsOf, () => new Map());
    const validate = (await this.validators).get(method)?.();
    if (validate === undefined || validate(result)) return;
    const why = validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`).join("; ");
    throw new Error(
      `${method} ${JSON.stringify(params)}: the result is not as described: ${why}: ${JSON.stringify(result)}`,
    );
  }
}

/** Schemas are compiled when they are needed first. */
function validatorsOf({ methods, components }: Json): Map<string, () => ValidateFunction> {
  const ajv = new Ajv({ strict: false });
  return new Map(
    methods.map(({ name, result }: Json) => {
      let compiled: ValidateFunction | undefined;
      return [name, () => (compiled ??= ajv.compile({ ...result.schema, components }))] as const;
    }),
  );
}
