import assert from "node:assert/strict";
import { ClientBudget } from "../src/limits/client-budget.js";

describe("a budget of clients", () => {
  it("gives each client a sixteenth of what is free", () => {
    const budget = new ClientBudget(170);
    assert.equal(budget.take("a", 11), false);
    assert.equal(budget.take("a", 9), true);
    assert.equal(budget.take("a", 1), true);
    assert.equal(budget.take("a", 1), false);
    assert.equal(budget.take("b", 10), false);
    assert.equal(budget.take("b", 9), true);
    budget.release("a", 10);
    assert.equal(budget.take("b", 1), true);
    assert.equal(budget.take("b", 1), false);
  });

  it("has a share for the next client, however many are greedy", () => {
    const budget = new ClientBudget(1_000_000);
    for (let client = 0; client < 100; client++) while (budget.take(`${client}`, 100));
    assert.equal(budget.take("next", 100), true);
  });
});
