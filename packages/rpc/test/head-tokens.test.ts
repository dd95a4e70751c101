import assert from "node:assert/strict";
import { toData } from "@cambium/primitives";
import { HeadTokens } from "../src/http/head-tokens.js";

interface FakeBlock {
  name: number;
  number: number;
  totalDifficulty: bigint;
  paidFees?: bigint;
}

const hashOf = (name: number) => new Uint8Array(32).fill(name);
const tokenOf = ({ number, name }: FakeBlock) => `${number}-${toData(hashOf(name))}`;

/** A chain of blocks whose hashes are their names repeated. */
class FakeChain {
  private readonly known: FakeBlock[] = [];
  private readonly branch = new Set<number>();

  constructor(private tip: FakeBlock) {
    this.adopt(tip);
  }

  adopt(...blocks: FakeBlock[]): void {
    for (const block of blocks) {
      this.known.push(block);
      this.branch.add(block.name);
      this.tip = block;
    }
  }

  abandon(...blocks: FakeBlock[]): void {
    for (const { name } of blocks) this.branch.delete(name);
  }

  readonly reader = {
    best: () => ({
      hash: hashOf(this.tip.name),
      header: this.header(this.tip),
      totalDifficulty: this.tip.totalDifficulty,
    }),
    headerByHash: ([name]: Uint8Array) => this.block(name!) && this.header(this.block(name!)!),
    totalDifficulty: ([name]: Uint8Array) => this.block(name!)?.totalDifficulty,
    isOnBestChain: ([name]: Uint8Array) => this.branch.has(name!),
  };

  private block(name: number): FakeBlock | undefined {
    return this.known.find((one) => one.name === name);
  }

  private header({ number, paidFees = 0n }: FakeBlock) {
    return { number, paidFees };
  }
}

function tokensOf(chain: FakeChain, wait: number): HeadTokens {
  return new HeadTokens(chain.reader as unknown as ConstructorParameters<typeof HeadTokens>[0], wait);
}

describe("head tokens", () => {
  const first = { name: 1, number: 1, totalDifficulty: 10n };
  const second = { name: 2, number: 2, totalDifficulty: 20n };
  const rival = { name: 3, number: 2, totalDifficulty: 21n };

  it("name the best block", () => {
    const chain = new FakeChain(first);
    const tokens = tokensOf(chain, 0);
    assert.equal(tokens.current(), tokenOf(first));
    chain.adopt(second);
    assert.equal(tokens.current(), tokenOf(second));
  });

  it("let requests about reached blocks and without one pass at once", async () => {
    const chain = new FakeChain(first);
    chain.adopt(second);
    const tokens = tokensOf(chain, 0);
    for (const token of [undefined, tokenOf(first), tokenOf(second)]) {
      assert.equal(await tokens.refusal(token), undefined);
    }
  });

  it("let a request wait until its block arrives", async () => {
    const chain = new FakeChain(first);
    const waiting = tokensOf(chain, 600_000).refusal(tokenOf(second));
    chain.adopt(second);
    assert.equal(await waiting, undefined);
  });

  it("refuse what does not arrive, and what is no token", async () => {
    const tokens = tokensOf(new FakeChain(first), 0);
    assert.equal((await tokens.refusal(tokenOf(second)))?.code, "HEAD_NOT_REACHED");
    for (const token of ["", "2", "latest", `x-${toData(hashOf(1))}`]) {
      assert.equal((await tokens.refusal(token))?.code, "INVALID_REQUEST", token);
    }
  });

  it("count a block as reached to which another one was preferred", async () => {
    const chain = new FakeChain(first);
    chain.adopt(second);
    chain.abandon(second);
    chain.adopt(rival);
    assert.equal(await tokensOf(chain, 0).refusal(tokenOf(second)), undefined);
  });
});
