import { random } from "@cambium/test-utils/random";

/**
 * Number of nodes, and milliseconds that work takes to the miners. Each node has a pool with an equal share of the hash
 * power.
 */
const NODES = 10;
const TO_MINERS = [20, 120];
/**
 * Milliseconds between two blocks on average, and for which a block travels from one node to another: most are near the
 * median.
 */
const BLOCK_INTERVAL = 30_000;
const DELAY_MEDIAN = 120;
const DELAY_SPREAD = 0.6;
const BLOCKS = 200_000;

/** Milliseconds from a block's arrival at a node to new work. */
export interface Pool {
  latencies: readonly number[];
  /** Milliseconds between two requests of the pool; 0 if work is pushed. */
  pollInterval: number;
}

/**
 * Returns the percentage of solutions that are found on an earlier block than the network's best one, in a simulation
 * of ten equal pools.
 */
export function staleRate({ latencies, pollInterval }: Pool): number {
  const next = random(1);
  const between = ([from, to]: readonly number[]) => from! + next() * (to! - from!);
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  const delay = () => DELAY_MEDIAN * Math.exp(DELAY_SPREAD * normal());
  const latency = () => latencies[Math.floor(next() * latencies.length)]!;
  let stale = 0;
  for (let block = 0; block < BLOCKS; block++) {
    const finder = Math.floor(next() * NODES);
    for (let node = 0; node < NODES; node++) {
      const behind = (node === finder ? 0 : delay()) + latency() + next() * pollInterval + between(TO_MINERS);
      // A pool finds a solution in this time with its share of the hash power.
      if (next() < 1 - Math.exp(-behind / (BLOCK_INTERVAL * NODES))) stale++;
    }
  }
  return (stale / (BLOCKS + stale)) * 100;
}
