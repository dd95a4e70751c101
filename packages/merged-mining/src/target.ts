/** Returns the maximum parent-chain hash for a difficulty (`spec/03 §3.2`): difficulties up to 2 count as 3. */
export function proofOfWorkTarget(difficulty: bigint): bigint {
  return (1n << 256n) / (difficulty < 3n ? 3n : difficulty);
}
