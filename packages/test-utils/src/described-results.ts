import { Ajv, type ValidateFunction } from "ajv";

/** Any JSON value. */
type Json = ReturnType<typeof JSON.parse>;

/** Errors of requests that reach no method: unknown methods, the writer of a replica, a block that is awaited. */
const ANY_METHOD: readonly number[] = [-32601, -32002, -32007];

interface DescribedMethod {
  validate(): ValidateFunction;
  errors: readonly number[];
}

/** Results and errors of methods according to a node's answer to `rpc.discover`, which is requested once. */
export class DescribedResults {
  private methods: Promise<Map<string, DescribedMethod>> | undefined;

  constructor(private readonly send: (method: string) => Promise<Json>) {}

  /** Rejects if a result is not as described. A node without a description has no rules. */
  async check(method: string, params: readonly unknown[], result: Json): Promise<void> {
    const validate = (await this.described(method))?.validate();
    if (validate === undefined || validate(result)) return;
    const why = validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`).join("; ");
    throw new Error(
      `${method} ${JSON.stringify(params)}: the result is not as described: ${why}: ${JSON.stringify(result)}`,
    );
  }

  /** Rejects if a method returns an error that it does not declare. */
  async checkError(
    method: string,
    params: readonly unknown[],
    error: { code: number; message: string },
  ): Promise<void> {
    const declared = (await this.described(method))?.errors;
    if (declared === undefined || [...declared, ...ANY_METHOD].includes(error.code)) return;
    const { code, message } = error;
    throw new Error(`${method} ${JSON.stringify(params)}: the error ${code} is not declared: ${message}`);
  }

  private async described(method: string): Promise<DescribedMethod | undefined> {
    this.methods ??= this.send("rpc.discover").then(methodsOf, () => new Map());
    return (await this.methods).get(method);
  }
}

/** Compiles the schemas, when they are first needed. */
function methodsOf({ methods, components }: Json): Map<string, DescribedMethod> {
  const ajv = new Ajv({ strict: false });
  return new Map(
    methods.map(({ name, result, errors }: Json) => {
      let compiled: ValidateFunction | undefined;
      const validate = () => (compiled ??= ajv.compile({ ...result.schema, components }));
      return [name, { validate, errors: errors.map(({ code }: Json) => code) }] as const;
    }),
  );
}
