import assert from "node:assert/strict";
import type { Chain } from "@cambium/chain";
import type { Clock } from "@cambium/primitives";
import { NOW } from "@cambium/test-utils/mined-chains";
import { TurningClock } from "@cambium/test-utils/turning-clock";
import type { SyncEngineOptions } from "../src/engine/engine.js";
import { type SyncChain, SyncEngine } from "../src/index.js";
import { FakeNetwork } from "./fake-network.js";

export interface Bench<T extends SyncChain> {
  chain: T;
  network: FakeNetwork;
  engine: SyncEngine;
  lines: string[];
  /** Waits until the chain's best block is that of another chain. */
  reaches(other: Chain): Promise<void>;
}

/** Time limit in milliseconds, for a busy machine. */
const TIME_LIMIT = 120_000;

const running = new Set<SyncEngine>();

/** A node with this chain, and no peers yet. */
export function bench<T extends SyncChain>(
  chain: T,
  options: SyncEngineOptions = {},
  clock: Clock = new TurningClock(),
): Bench<T> {
  const network = new FakeNetwork();
  const lines: string[] = [];
  const log = (data: object, message: string) => lines.push(`${message} ${JSON.stringify(data)}`);
  const logger = { debug: log, info: log, warn: log, error: log };
  const modules = { chain, network: network.api, logger, clock, now: () => NOW };
  const engine = new SyncEngine(modules, options);
  running.add(engine);
  const reaches = (other: Chain) =>
    eventually(
      () => Buffer.compare(chain.best().hash, other.best().hash) === 0,
      () => [`at ${chain.best().header.number}`, JSON.stringify(network.reports), ...lines.slice(-8)].join("\n"),
    );
  return { chain, network, engine, lines, reaches };
}

export async function stopAll(): Promise<void> {
  await Promise.all([...running].map((engine) => engine.stop()));
  running.clear();
}

export async function eventually(condition: () => boolean, describe: () => string = () => ""): Promise<void> {
  const end = performance.now() + TIME_LIMIT;
  while (!condition()) {
    assert(performance.now() < end, `not within ${TIME_LIMIT} ms: ${describe()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
