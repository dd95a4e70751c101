import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ChainReader } from "@cambium/chain";
import type { Transaction } from "@cambium/types";
import { PendingValue } from "../../src/building/pending-value.js";

const nextOf = ({ adjustment }: { adjustment: number }) => ({ adjustment, chosen: {} });

function counted() {
  const source = { hash: Uint8Array.of(1), ordered: [] as readonly Transaction[], adjustment: 0 };
  const chain = { best: () => ({ hash: source.hash }) } as unknown as ChainReader;
  const ends: { resolve(): void; reject(error: Error): void }[] = [];
  let count = 0;
  const compute = () => {
    const number = ++count;
    return new Promise<number>((resolve, reject) => ends.push({ resolve: () => resolve(number), reject }));
  };
  const value = new PendingValue(chain, { ordered: () => source.ordered }, () => nextOf(source), compute);
  const change = () => {
    source.ordered = [...source.ordered];
  };
  const next = async () => {
    await nextTurn();
    return ends.shift()!;
  };
  return { source, value, change, next, count: () => count };
}

describe("a value computed from the pending transactions", () => {
  it("is computed once for all requests until the pool, the best block or what is set for the next one changes", async () => {
    const { source, value, change, next } = counted();
    const both = Promise.all([value.get(), value.get()]);
    (await next()).resolve();
    assert.deepEqual(await both, [1, 1]);
    assert.equal(await value.get(), 1);
    change();
    const second = value.get();
    (await next()).resolve();
    assert.equal(await second, 2);
    source.hash = Uint8Array.of(2);
    const third = value.get();
    (await next()).resolve();
    assert.equal(await third, 3);
    assert.equal(await value.get(), 3);
    source.adjustment = 60;
    const fourth = value.get();
    (await next()).resolve();
    assert.equal(await fourth, 4);
    assert.equal(await value.get(), 4);
  });

  it("is computed one at a time, and the next is shared by all requests after a change", async () => {
    const { value, change, next, count } = counted();
    const first = value.get();
    change();
    const second = value.get();
    change();
    const third = value.get();
    assert.equal(count(), 1);
    (await next()).resolve();
    assert.equal(await first, 1);
    (await next()).resolve();
    assert.deepEqual(await Promise.all([second, third]), [2, 2]);
    assert.equal(count(), 2);
  });

  it("is computed again after a failure, and when it was forgotten", async () => {
    const { value, change, next } = counted();
    const failed = value.get();
    change();
    const second = value.get();
    (await next()).reject(new Error("no"));
    await assert.rejects(failed, /no/);
    (await next()).resolve();
    assert.equal(await second, 2);
    value.forget();
    const third = value.get();
    (await next()).resolve();
    assert.equal(await third, 3);
  });
});
