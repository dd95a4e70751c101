import assert from "node:assert/strict";
import type { Chain } from "@cambium/chain";
import { type BlockBody, type BlockId, NetworkingError, type ScoringEvent } from "@cambium/networking";
import { copyOf, emptyChain, lenientChain, Mine, thousand } from "@cambium/test-utils/mined-chains";
import { settled } from "@cambium/test-utils/turning-clock";
import type { BlockHeader } from "@cambium/types";
import { bench, eventually, stopAll } from "./engine-support.js";
import { type Answers, HonestAnswers } from "./fake-network.js";

/** A peer with the highest claim, so that it is tried first. */
const LOUD = { totalDifficulty: 1n << 100n };

/** Responses of a misbehaving peer, derived from those of an honest one. */
type Misbehaviour = (honest: HonestAnswers) => Partial<Answers>;

const never = (signal?: AbortSignal) =>
  new Promise<never>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));

const stalling: Misbehaviour = () => ({
  // biome-ignore lint/correctness/useYield: it never yields
  async *bodies(_, signal) {
    await never(signal);
  },
});

/** Kinds of misbehaviour of a peer on the honest chain, and the events for which it is reported. */
const misbehaviours: { name: string; peer: Misbehaviour; event?: ScoringEvent }[] = [
  { name: "stalls its bodies", peer: stalling },
  { name: "stalls even when its request is aborted", peer: () => ({ bodies: () => hanging() }) },
  { name: "stalls its hashes", peer: () => ({ hashes: (_, signal) => never(signal) }) },
  { name: "stalls its skeleton", peer: () => ({ skeleton: (_start, _count, signal) => never(signal) }) },
  { name: "stalls its headers", peer: () => ({ headers: (_hash, _count, signal) => never(signal) }) },
  { name: "has no headers", peer: () => ({ headers: async () => [] }) },
  { name: "has no bodies", peer: () => ({ bodies: async function* () {} }) },
  {
    name: "reports that it has no bodies",
    peer: () => ({ bodies: (hashes) => lacking(hashes) }),
  },
  {
    name: "sends few headers at a time",
    peer: (honest) => ({ headers: async (hash, count) => honest.headers(hash, Math.min(count, 50)) }),
  },
  {
    name: "sends few bodies at a time",
    peer: (honest) => ({ bodies: (hashes) => honest.bodies(hashes.slice(0, 2)) }),
  },
  {
    name: "refuses requests as too frequent",
    peer: () => ({
      headers: async () => {
        throw new NetworkingError({ code: "RATE_LIMITED", protocol: "headers" });
      },
    }),
  },
  {
    name: "has another genesis block",
    peer: () => ({ hashes: async (heights) => heights.map(() => new Uint8Array(32).fill(9)) }),
    event: "UNEXPECTED_GENESIS",
  },
  {
    name: "sends bodies in another order",
    peer: (honest) => ({ bodies: (hashes) => honest.bodies([...hashes].reverse()) }),
    event: "INVALID_MESSAGE",
  },
  {
    name: "sends bodies of other blocks",
    peer: (honest) => ({
      async *bodies(hashes) {
        for (const hash of hashes) yield { ...honest.body(honest.chain.hashByNumber(8)!)!, hash };
      },
    }),
    event: "INVALID_MESSAGE",
  },
  {
    name: "sends bodies without extension",
    peer: (honest) => ({
      async *bodies(hashes) {
        for await (const body of honest.bodies(hashes)) yield { ...(body as BlockBody), extension: undefined };
      },
    }),
    event: "INVALID_MESSAGE",
  },
  {
    name: "sends more bodies than requested",
    peer: (honest) => ({ bodies: (hashes) => honest.bodies([...hashes, ...hashes]) }),
    event: "INVALID_MESSAGE",
  },
  {
    name: "sends more headers than requested",
    peer: (honest) => ({ headers: async (hash, count) => honest.headers(hash, count + 1) }),
    event: "INVALID_MESSAGE",
  },
  {
    name: "sends headers with a gap",
    peer: (honest) => ({
      headers: async (hash, count) => (await honest.headers(hash, count)).filter((_, i) => i !== 2),
    }),
    event: "INVALID_MESSAGE",
  },
  {
    name: "sends headers in ascending order",
    peer: (honest) => ({ headers: async (hash, count) => (await honest.headers(hash, count)).reverse() }),
    event: "INVALID_MESSAGE",
  },
  {
    name: "corrupts the proof of work, which the hash does not cover",
    peer: (honest) => ({ headers: async (hash, count) => (await honest.headers(hash, count)).map(withoutProof) }),
    event: "INVALID_HEADER",
  },
  {
    name: "has a skeleton at other heights",
    peer: (honest) => ({
      skeleton: async (start, count) =>
        (await honest.skeleton(start, count)).map(({ number, hash }) => ({ number: number + 1, hash })),
    }),
    event: "INVALID_MESSAGE",
  },
  {
    name: "has blocks at wrong heights in its skeleton",
    peer: (honest) => ({
      skeleton: async (start, count) => shifted(await honest.skeleton(start, count), honest.chain),
    }),
    event: "INVALID_MESSAGE",
  },
  {
    name: "has unknown blocks in its skeleton",
    peer: (honest) => ({
      skeleton: async (start, count) =>
        (await honest.skeleton(start, count)).map(({ number, hash }) => ({
          number,
          hash: number > start ? new Uint8Array(32).fill(number % 256) : hash,
        })),
    }),
  },
];

describe("synchronisation among misbehaving peers", () => {
  let other: Chain;

  before(async () => {
    other = await copyOf(await thousand(), 450);
  });

  afterEach(stopAll);

  for (const { name, peer, event } of misbehaviours) {
    it(`continues with others when one ${name}`, async () => {
      const { network, engine, reaches } = bench(await emptyChain());
      network.add("bad", other, peer(new HonestAnswers(other)), LOUD);
      network.add("honest", other);
      engine.start();
      await reaches(other);
      assert.deepEqual(network.reported("honest"), []);
      if (event !== undefined) assert(network.reported("bad").includes(event), network.reported("bad").join());
      else assert(network.reported("bad").every((reported) => reported === "UNEXPECTED_MESSAGE"));
    });
  }

  it("continues when a peer disconnects during an answer", async () => {
    const other = await thousand();
    const { network, engine, reaches } = bench(await emptyChain());
    let left = 40;
    const honest = new HonestAnswers(other);
    const vanishing: Partial<Answers> = {
      async *bodies(hashes) {
        for await (const body of honest.bodies(hashes)) {
          if (left-- === 0) network.remove("vanishing");
          yield body;
        }
      },
    };
    network.add("vanishing", other, vanishing, LOUD);
    network.add("stalling", other, stalling(honest));
    network.add("honest", other);
    engine.start();
    await reaches(other);
    assert.deepEqual(network.reports, []);
  });

  it("waits for another peer when the only one disconnects", async () => {
    const other = await copyOf(await thousand(), 400);
    const { network, engine, reaches } = bench(await emptyChain());
    const honest = network.add("first", other, {
      async *bodies(hashes) {
        yield honest.body(hashes[0]!);
        network.remove("first");
      },
    });
    engine.start();
    await eventually(() => network.peers().length === 0);
    network.add("second", other);
    await reaches(other);
    assert.deepEqual(network.reports, []);
  });

  it("abandons a chain when no peer is left with its bodies", async () => {
    const chain = await copyOf(await thousand(), 60);
    const evil = await copyOf(chain, 60);
    await new Mine(evil, "b").blocks(50);
    const { network, engine } = bench(chain);
    const wrong: Partial<Answers> = {
      async *bodies(hashes) {
        for (const hash of hashes) yield { ...new HonestAnswers(evil).body(evil.hashByNumber(8)!)!, hash };
      },
    };
    network.add("evil", evil, wrong);
    network.add("honest", await copyOf(chain, 60));
    engine.start();
    await eventually(() => network.reported("evil").includes("INVALID_MESSAGE"));
    await eventually(() => engine.progress().phase === "following");
  });

  it("accepts gossip while bodies are withheld", async () => {
    const chain = await copyOf(await thousand(), 60);
    const evil = await copyOf(chain, 60);
    await new Mine(evil, "b").blocks(50);
    const { network, engine } = bench(chain);
    network.add("evil", evil, { bodies: (hashes) => lacking(hashes) });
    engine.start();
    await eventually(() => engine.isFarBehind());
    await eventually(() => !engine.isFarBehind());
    assert.equal(engine.progress().phase, "bodies");
  });

  it("ranks a peer last if its chain has less work than it claims", async () => {
    const long = await thousand();
    const short = await copyOf(long, 100);
    const other = await copyOf(long, 150);
    const { network, engine, reaches } = bench(await emptyChain());
    network.add("boaster", short, {}, { ...LOUD });
    engine.start();
    await reaches(short);
    await eventually(() => network.reported("boaster").includes("UNEXPECTED_MESSAGE"));
    network.add("honest", other);
    await reaches(other);
    const asked = network.requests.length;
    await settled();
    assert(network.requests.length - asked < 10, "no hot loop");
    assert.deepEqual(network.reported("honest"), []);
  });

  it("refuses a chain of wrong difficulties", async () => {
    const evil = await lenientChain();
    await copyOf(await thousand(), 60, evil);
    await new Mine(evil).changed({ difficulty: 3n });
    await new Mine(evil).blocks(30);
    await refuses(evil, "INVALID_HEADER");
  });

  it("refuses a block that fails in execution, records it, and ignores its descendants", async () => {
    const evil = await lenientChain();
    await copyOf(await thousand(), 60, evil);
    const { hash } = await new Mine(evil).changed({ stateRoot: new Uint8Array(32).fill(3) });
    await new Mine(evil).blocks(40);
    const chain = await refuses(evil, "INVALID_BLOCK");
    assert(chain.isKnownInvalid(hash));

    const { network, engine } = bench(chain);
    network.add("again", evil);
    engine.start();
    await eventually(() => network.reported("again").includes("INVALID_BLOCK"));
    engine.blockWanted("again", evil.best().hash, 65);
    await settled();
    assert(network.requests.every(({ kind }) => kind !== "bodies"));
  });

  it("reports every peer whose skeleton has an invalid block", async () => {
    const evil = await lenientChain();
    await new Mine(evil, "b").blocks(100);
    await new Mine(evil).changed({ gasUsed: 5 });
    await new Mine(evil).blocks(150);
    const other = await copyOf(await thousand(), 240);
    const { network, engine, reaches } = bench(await emptyChain());
    network.add("evil 1", evil);
    network.add("evil 2", evil);
    network.add("honest", other);
    engine.start();
    await reaches(other);
    assert.deepEqual(network.reported("evil 1"), ["INVALID_BLOCK"]);
    assert.deepEqual(network.reported("evil 2"), ["INVALID_BLOCK"]);
    assert.deepEqual(network.reported("honest"), []);
  });

  it("detects a skeleton of two chains", async () => {
    const fork = await emptyChain();
    await new Mine(fork, "b").blocks(390);
    const { network, engine, reaches } = bench(await emptyChain());
    const honest = new HonestAnswers(other);
    const forked = new HonestAnswers(fork);
    const equivocating: Partial<Answers> = {
      skeleton: async (start, count) =>
        (await honest.skeleton(start, count)).map((entry) =>
          entry.number === 384 ? { number: 384, hash: fork.hashByNumber(384)! } : entry,
        ),
      headers: (hash, count) => (fork.headerByHash(hash) ? forked.headers(hash, count) : honest.headers(hash, count)),
    };
    network.add("equivocating", other, equivocating, LOUD);
    engine.start();
    await eventually(() => network.reported("equivocating").includes("INVALID_MESSAGE"));
    network.add("honest", other);
    await reaches(other);
  });

  it("can be stopped at any time, whatever its peers do", async () => {
    for (const { peer } of misbehaviours.filter(({ name }) => name.startsWith("stalls"))) {
      const { network, engine } = bench(await emptyChain());
      network.add("bad", other, peer(new HonestAnswers(other)));
      engine.start();
      await settled(20);
      await engine.stop();
    }
  });
});

/** Synchronises a node from evil peers and then from an honest one; returns its chain. */
async function refuses(evil: Chain, event: ScoringEvent): Promise<Chain> {
  const chain = await emptyChain();
  const { network, engine, reaches } = bench(chain);
  network.add("evil", evil);
  engine.start();
  await eventually(
    () => network.reported("evil").includes(event),
    () => JSON.stringify(network.reports),
  );
  const other = await copyOf(await thousand(), 70);
  network.add("honest", other);
  await reaches(other);
  assert.deepEqual(network.reported("honest"), []);
  await engine.stop();
  return chain;
}

async function* lacking(hashes: readonly Uint8Array[]): AsyncGenerator<undefined> {
  for (const _ of hashes) yield undefined;
}

async function* hanging(): AsyncGenerator<undefined> {
  await new Promise(() => undefined);
  yield undefined;
}

/** Returns each block's parent, with the number of the block itself. */
function shifted(entries: readonly BlockId[], chain: Chain): BlockId[] {
  return entries.map(({ number, hash }, i) => ({ number, hash: i === 0 ? hash : chain.hashByNumber(number - 1)! }));
}

function withoutProof(header: BlockHeader): BlockHeader {
  return header.number % 40 === 7 ? header.with({ merkleProof: new Uint8Array(32) }) : header;
}
