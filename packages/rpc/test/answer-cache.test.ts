import assert from "node:assert/strict";
import { JsonText } from "@cambium/api";
import { FakeChain } from "@cambium/test-utils/api/fake-chain";
import { AnswerCache } from "../src/requests/answer-cache.js";
import { ask, config, dispatcherOver } from "./support/service.js";

describe("answer cache", () => {
  const chain = new FakeChain();
  chain.extend();

  it("computes an answer once, until the best block changes", async () => {
    const cache = new AnswerCache(chain.reader());
    let computed = 0;
    const answer = () => cache.answer("a", () => ({ computed: ++computed })) as JsonText;
    assert.equal(answer().text, '{"computed":1}');
    assert.equal(answer().text, '{"computed":1}');
    const later = () => cache.answer("b", async () => new JsonText(`${++computed}`)) as Promise<JsonText>;
    assert.equal((await later()).text, "2");
    assert.equal((await later()).text, "2");
    chain.extend();
    assert.equal(answer().text, '{"computed":3}');
  });

  it("keeps neither null nor what the best block overtook", async () => {
    const cache = new AnswerCache(chain.reader());
    assert.equal(
      cache.answer("a", () => null),
      null,
    );
    assert.equal((cache.answer("a", () => 1) as JsonText).text, "1");
    const overtaken = cache.answer("b", async () => {
      chain.extend();
      return 1;
    });
    assert.equal(((await overtaken) as JsonText).text, "1");
    assert.equal((cache.answer("b", () => 2) as JsonText).text, "2");
  });

  it("keeps mined transactions, and no other answers that depend on the pool", () => {
    const cache = new AnswerCache(chain.reader());
    const mined = (index: number) => cache.answer("a", () => ({ blockHash: "0x01", index }), "chain and pool");
    assert.equal((mined(1) as JsonText).text, '{"blockHash":"0x01","index":1}');
    assert.equal((mined(2) as JsonText).text, '{"blockHash":"0x01","index":1}');
    for (const other of [{ blockHash: null }, null, "0x01"]) {
      const answers = [other, "later"].map((value) => cache.answer("b", () => value, "chain and pool"));
      assert.deepEqual(answers, [other, "later"]);
    }
  });

  it("forgets what was not used for longest beyond its bound", () => {
    const cache = new AnswerCache(chain.reader(), 3 * (200 + 10));
    const read = (key: string) => (cache.answer(key, () => `${key} anew`) as JsonText | string).toString();
    const kept = (key: string) => (cache.answer(key, () => "computed") as JsonText).text !== '"computed"';
    for (const key of ["a", "b", "c"]) read(key);
    assert.ok(kept("a"));
    read("d");
    assert.ok(kept("a"));
    assert.ok(!kept("b"));
  });

  it("serves equal requests with their own ids, and pending ones from the pool", async () => {
    const dispatcher = dispatcherOver(chain, config({ compatibility: "development" }));
    const text = async (id: string, block: string) =>
      (
        await dispatcher.handleText(
          `{"jsonrpc":"2.0","id":${id},"method":"eth_getBlockByNumber","params":["${block}",false]}`,
        )
      ).body!;
    const first = await text("1", "latest");
    assert.equal(await text('"x"', "latest"), first.replace('"id":1', '"id":"x"'));
    assert.equal(JSON.parse(first).result.number, JSON.parse(await text("1", "latest")).result.number);
    chain.extend();
    assert.notEqual(await text("1", "latest"), first);
    assert.deepEqual(
      await ask(dispatcher, "eth_getBlockByNumber", "pending", false),
      JSON.parse(await text("1", "pending")).result,
    );
  });
});
