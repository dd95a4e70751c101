import { writeFileSync } from "node:fs";
import { exampleService } from "../test/support/example-chain.js";

/** Asks the examples of the documentation and writes down what the node answers: `npm run examples`. */
const { dispatcher, requests } = await exampleService();
const examples: Record<string, { params: unknown[]; result: unknown }[]> = {};
for (const [method, ...params] of requests) {
  const answer = (await dispatcher.handle({ id: 1, method, params })) as { result?: unknown };
  if (answer.result === undefined) throw new Error(`${method}: ${JSON.stringify(answer)}`);
  (examples[method] ??= []).push({ params, result: answer.result });
}
writeFileSync(new URL("../examples/recorded.json", import.meta.url), `${JSON.stringify(examples, null, 2)}\n`);
process.exit(0);
