import { randomInt } from "node:crypto";

/**
 * Seed of every random test: the environment variable `SEED`, or a new one, printed so that the run can be repeated.
 */
export const SEED = seedOf(process.env.SEED);

function seedOf(given: string | undefined): number {
  if (given !== undefined) {
    const seed = Number(given);
    if (!Number.isInteger(seed)) throw new Error(`SEED is "${given}", not an integer`);
    return seed;
  }
  const seed = randomInt(2 ** 31);
  console.log(`random tests: SEED=${seed}`);
  return seed;
}
