import assert from "node:assert/strict";
import { type ForkConfig, local } from "@cambium/config";
import { FakeChain } from "@cambium/test-utils/api/fake-chain";
import { DescribedResults } from "@cambium/test-utils/described-results";
import { Ajv } from "ajv";
import { RECORDED_EXAMPLES as EXAMPLES, examplesOf } from "../src/discovery/method-examples.js";
import { Api, METHODS } from "../src/index.js";
import { SCHEMAS } from "../src/schemas/schemas.js";
import { exampleService } from "./support/example-chain.js";
import { apiOver, ask, type Json, partsOver } from "./support/service.js";

describe("discovery", () => {
  it("describes exactly the served methods", async () => {
    const parts = partsOver(new FakeChain());
    const api = new Api(
      parts,
      METHODS.filter(({ name }) => name !== "eth_call"),
    );
    const document = await ask({ ...parts, api }, "rpc.discover");
    const names = document.methods.map(({ name }: Json) => name);
    assert(names.includes("eth_getLogs") && names.includes("rpc.discover"));
    assert(!names.includes("eth_call") && !names.includes("mnr_getWork"));
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual(Object.keys(document), ["openrpc", "info", "methods", "components"]);
  });

  it("describes deployed names if they are enabled", async () => {
    const service = apiOver(new FakeChain(), { compatibility: "deployed" });
    const { methods } = await ask(service, "rpc.discover");
    const names = methods.map(({ name }: Json) => name);
    assert(names.includes("rsk_protocolVersion") && names.includes("chain_protocolVersion"));
    const { rsk, chain } = await ask(service, "rpc_modules");
    assert.deepEqual([rsk, chain], ["1.0", "1.0"]);
  });

  it("lists the errors of each method, which the client of the tests checks", async () => {
    const service = apiOver(new FakeChain());
    const document = await ask(service, "rpc.discover");
    const client = new DescribedResults(async () => document);
    const refusal = (code: number) => client.checkError("eth_getAccount", [], { code, message: "no" });
    await Promise.all([refusal(-32602), refusal(-32600), refusal(-32201)]);
    await assert.rejects(refusal(-33000), /eth_getAccount \[\]: the error -33000 is not declared: no/);
    const codes = (name: string) =>
      document.methods.find((method: Json) => method.name === name).errors.map(({ code }: Json) => code);
    assert(!codes("eth_call").includes(3));
  });

  it("lists Ethereum's code of a revert where it is answered, and failures of the source of a fork", async () => {
    const fork = { ...local, fork: { source: "http://127.0.0.1" } as ForkConfig };
    const codesOf = async (chain: FakeChain, name: string) => {
      const { methods } = await ask(apiOver(chain, { compatibility: "development" }), "rpc.discover");
      return methods.find((method: Json) => method.name === name).errors.map(({ code }: Json) => code);
    };
    assert((await codesOf(new FakeChain(), "eth_call")).includes(3));
    assert(!(await codesOf(new FakeChain(), "eth_getCode")).includes(-32000));
    assert((await codesOf(new FakeChain(fork), "eth_getCode")).includes(-32000));
  });

  it("has a deployed name for each method of the module that the deployed client names after its network", () => {
    for (const { name, aliases } of METHODS.filter(({ module }) => module === "chain")) {
      assert.deepEqual(aliases, [name.replace(/^chain_/, "rsk_")]);
    }
  });

  it("refers only to existing schemas", () => {
    const document = JSON.stringify([
      METHODS.map(({ params, result }) => [params.map(({ type }) => type.schema), result]),
      SCHEMAS,
    ]);
    for (const [, name] of document.matchAll(/#\/components\/schemas\/(\w+)/g)) assert(name! in SCHEMAS, name);
    for (const { name, summary, params } of METHODS) {
      assert(summary.length > 5, name);
      for (const { type } of params) assert.equal(typeof type.schema, "object", name);
    }
  });

  it("shows examples with the responses of a real node", async () => {
    const { service, requests } = await exampleService();
    const served = new Set(METHODS.map(({ name }) => name));
    const seen: Record<string, number> = {};
    for (const [method, ...params] of requests) {
      const index = seen[method] ?? 0;
      const example = EXAMPLES[method]?.[index];
      seen[method] = index + 1;
      assert(served.has(method));
      const result = await ask(service, method, ...params);
      assert.deepEqual(example, { params, result }, `${method}: run \`npm run examples\``);
    }
    for (const [method, { length }] of Object.entries(EXAMPLES)) assert.equal(seen[method], length);
  });

  it("shows an example of every method, as its schemas describe them", () => {
    const ajv = new Ajv({ strict: false });
    const isValid = (schema: object, value: unknown) =>
      ajv.validate({ ...schema, components: { schemas: SCHEMAS } }, value);
    for (const method of METHODS) {
      const { name, params, result } = method;
      const examples = examplesOf(method);
      assert(examples.length > 0, `${name} has no example`);
      for (const example of examples) {
        assert(isValid(result, example.result), `${name}: ${ajv.errorsText()}`);
        assert(
          example.params.length <= params.length && params.slice(example.params.length).every((one) => !one.required),
        );
        for (const [i, value] of example.params.entries()) {
          assert(isValid(params[i]!.type.schema, value), `${name} ${params[i]!.name}: ${ajv.errorsText()}`);
        }
      }
    }
  });

  it("describes parameters as they may be written", () => {
    const ajv = new Ajv({ strict: false });
    const isValid = (name: string, value: unknown) =>
      ajv.validate({ $ref: `#/components/schemas/${name}`, components: { schemas: SCHEMAS } }, value);
    const to = "0x77045E71a7A2c50903d88e564cD72fab11e82051";
    for (const call of [{ to }, { to, value: 5, gas: "21000", data: null }, { to: to.slice(2), data: "0xABc" }]) {
      assert(isValid("Call", call), JSON.stringify(call));
    }
    for (const filter of [
      { address: [] },
      { address: to, topics: [] },
      { topics: [null, []], fromBlock: null, toBlock: "5" },
    ]) {
      assert(isValid("LogFilter", filter), JSON.stringify(filter));
    }
    assert(!isValid("Call", { to: "0x12" }));
    assert(!isValid("Transaction", { from: to }));
  });
});
