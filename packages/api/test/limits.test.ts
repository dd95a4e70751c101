import assert from "node:assert/strict";
import { nextTurn, noteLightRequest } from "../src/limits/turns.js";

describe("turns of long work", () => {
  /** Returns the order in which pieces of long work run, and the end of a light task that needs several turns. */
  async function order(): Promise<string[]> {
    const events: string[] = [];
    const piece = async (name: string) => {
      await nextTurn();
      events.push(name);
      const end = performance.now() + 40;
      while (performance.now() < end);
    };
    const light = nextTurn().then(async () => {
      for (let turn = 0; turn < 8; turn++) await new Promise(setImmediate);
      events.push("light");
    });
    await Promise.all([light, ...["one", "two", "three", "four", "five"].map(piece)]);
    return events;
  }

  it("are followed by a rest while there are light requests", async () => {
    noteLightRequest();
    const events = await order();
    // The light request would come after "four" if there were no rests.
    assert.ok(events.indexOf("light") < events.indexOf("three"), events.join());
  });
});
