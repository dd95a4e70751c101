import assert from "node:assert/strict";
import { bigintToBytes, fromHex, leftPad, toHex } from "@cambium/primitives";
import { MemoryStore } from "@cambium/test-utils/memory-store";

import { JournaledState, openState } from "../src/index.js";
import { orchidStateRoot } from "./orchid-state-root.js";

/** Java's `Random` (spec/01 §5.3). */
class JavaRandom {
  private state: bigint;

  constructor(seed: bigint) {
    this.state = (seed ^ 0x5deece66dn) & ((1n << 48n) - 1n);
  }

  next(bits: number): number {
    this.state = (this.state * 0x5deece66dn + 0xbn) & ((1n << 48n) - 1n);
    return Number(BigInt.asIntN(32, this.state >> BigInt(48 - bits)));
  }

  bytes(length: number): Uint8Array {
    const out = new Uint8Array(length);
    for (let i = 0, word = 0; i < length; i++, word >>= 8) {
      if (i % 4 === 0) word = this.next(32);
      out[i] = word & 0xff;
    }
    return out;
  }

  nextInt(bound: number): number {
    let r = this.next(31);
    if ((bound & (bound - 1)) === 0) return Number((BigInt(bound) * BigInt(r)) >> 31n);
    let u = r;
    while (((u - (r = u % bound) + (bound - 1)) | 0) < 0) u = this.next(31);
    return r;
  }
}

type Cell = [key: Uint8Array, value: Uint8Array];

function randomState(cellsOf: (random: JavaRandom) => Cell[]): { root: string; oldRoot: string } {
  const random = new JavaRandom(0n);
  const state = new JournaledState(openState());
  for (let i = 0; i < 10; i++) {
    const address = random.bytes(20);
    state.createAccount(address);
    state.setNonce(address, BigInt(`0x${toHex(random.bytes(4))}`));
    state.addBalance(address, 10n ** 18n * BigInt(random.nextInt(1000)));
    if (i < 5) continue;
    state.markContract(address);
    for (const [key, value] of cellsOf(random)) state.setStorageBytes(address, key, value);
    const suffix = random.bytes(random.nextInt(55) + 1);
    const code = new Uint8Array(4 + suffix.length).fill(0xff, 0, 4);
    code.set(suffix, 4);
    state.setCode(address, code);
  }
  const store = new MemoryStore();
  const { root, state: after } = state.commit();
  after.save(store);
  return { root: toHex(root), oldRoot: toHex(orchidStateRoot(openState(store, root))) };
}

function cells(random: JavaRandom, count: number, keyLength: number): Cell[] {
  const out: Cell[] = [];
  for (let i = 0; i < count; i++) {
    const key = leftPad(random.bytes(keyLength), 32);
    out.push([key, random.bytes(random.nextInt(40) + 1)]);
  }
  return out;
}

describe("state root before RSKIP-126", () => {
  it("matches a random state of historic tests with long keys", () => {
    assert.deepEqual(
      randomState((random) => cells(random, 5, 32)),
      {
        oldRoot: "3513db97e8e9afff71727bce4b2ac01ff3b874e4814cbb31828829b730fd7eca",
        root: "af7d4b0a598e8252b07384d995f36816d0f9d904dbc0d15715d41cebf5d00f8f",
      },
    );
  });

  it("matches a random state of historic tests with short keys", () => {
    assert.deepEqual(
      randomState((random) => [...cells(random, 2, 32), ...cells(random, 2, 20)]),
      {
        oldRoot: "b5e35460d1ee9e2d7586f4c06c70d9a918cb0d7a1728cd4c37088ea5352a6b0a",
        root: "cfb7a7c40a59640032d3ace783132e3d11370b456104db3a8a1ce3122db762b0",
      },
    );
  });

  it("matches the state of one contract", () => {
    const address = fromHex("6c0e31499bf02969ca42d203e566bcc696de08fa");
    const state = new JournaledState(openState());
    state.createAccount(address);
    state.setNonce(address, 1n);
    state.addBalance(address, 100n);
    state.markContract(address);
    state.setStorage(address, 0n, 5n);
    state.setStorage(address, 1n, 2n ** 256n - 1n);
    state.setCode(address, fromHex("6001600055".repeat(8)));
    const store = new MemoryStore();
    const { root, state: after } = state.commit();
    after.save(store);
    assert.equal(toHex(root), "ff8f2e849f362c8d3651f41b2a98f9bcb0f96dbb4f04825ca792fd1c524521cd");
    const view = openState(store, root);
    assert.equal(toHex(orchidStateRoot(view)), "4bad681be6ce07a248e342c2022f0cad1b86d84a74e3119a57ddfdae2141cc1b");
    assert.equal(view.getStorage(address, 1n), 2n ** 256n - 1n);
    assert.equal(bigintToBytes(view.getStorage(address, 0n)).length, 1);
  });
});
