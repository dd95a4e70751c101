// The part of WebAssembly's binary format (core specification, §5) that modules written in TypeScript need.

/** Bytes of a module or of a part of one. */
export type Code = readonly number[];

/** Magic number and version. */
export const WASM_HEADER: Code = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
/** Value types. */
export const I32 = 0x7f;
export const I64 = 0x7e;

/** Signed LEB128. */
export function signedLeb(value: bigint): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; ) {
    const byte = Number(rest & 0x7fn);
    rest >>= 7n;
    if (rest === (byte & 0x40 ? -1n : 0n)) return [...bytes, byte];
    bytes.push(byte | 0x80);
  }
}

/** Unsigned LEB128. */
export function unsignedLeb(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsignedLeb(value >>> 7)];
}

/** A count, then the items. */
export function vector(items: readonly Code[]): Code {
  return [...unsignedLeb(items.length), ...items.flat()];
}

/** A length in bytes, then the content. */
export function sized(content: Code): Code {
  return [...unsignedLeb(content.length), ...content];
}

export function section(id: number, content: Code): Code {
  return [id, ...sized(content)];
}

/** An ASCII name. */
export function name(text: string): Code {
  return sized([...text].map((letter) => letter.charCodeAt(0)));
}
