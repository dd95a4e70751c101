/** Encoded length of a parent-chain variable-length integer. */
export function variableLength(value: number | bigint): number {
  if (value < 0xfd) return 1;
  if (value <= 0xffff) return 3;
  return value <= 0xffffffff ? 5 : 9;
}

/** Encodes a parent-chain variable-length integer in its shortest form. */
export function encodeVariable(value: number | bigint): Uint8Array {
  const length = variableLength(value);
  const out = new Uint8Array(length);
  const view = new DataView(out.buffer);
  if (length === 1) out[0] = Number(value);
  else out[0] = 0xfc + Math.log2(length - 1);
  if (length === 3) view.setUint16(1, Number(value), true);
  if (length === 5) view.setUint32(1, Number(value), true);
  if (length === 9) view.setBigUint64(1, BigInt(value), true);
  return out;
}
