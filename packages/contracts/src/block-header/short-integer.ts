/** The value as a signed 16-bit integer, or undefined outside that range. */
export function asInt16(value: bigint): number | undefined {
  return BigInt.asIntN(16, value) === value ? Number(value) : undefined;
}
