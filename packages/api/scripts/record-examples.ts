import { writeFileSync } from "node:fs";
import { exampleService } from "../test/support/example-chain.js";
import { ask } from "../test/support/service.js";

/** Requests the examples of the documentation and records the answers of the node: `npm run examples`. */
const { service, requests } = await exampleService();
const examples: Record<string, { params: unknown[]; result: unknown }[]> = {};
for (const [method, ...params] of requests) {
  (examples[method] ??= []).push({ params, result: await ask(service, method, ...params) });
}
writeFileSync(new URL("../examples/recorded.json", import.meta.url), `${JSON.stringify(examples, null, 2)}\n`);
process.exit(0);
