import { OPCODES } from "@cambium/evm";
import { bigintToBytes, concatBytes } from "@cambium/primitives";

const BY_NAME: ReadonlyMap<string, number> = new Map([...OPCODES].map(([op, { name }]) => [name, op]));
const PUSH0 = BY_NAME.get("PUSH0")!;

/** Pushes a jump destination, as a constant of fixed width: code can be composed before it is known. */
export function pushPosition(position: number): Uint8Array {
  return Uint8Array.of(PUSH0 + 3, position >> 16, (position >> 8) & 0xff, position & 0xff);
}

export function push(value: bigint | number): Uint8Array {
  const bytes = bigintToBytes(BigInt(value));
  return concatBytes(Uint8Array.of(PUSH0 + bytes.length), bytes);
}

/** Returns code for a text of opcode names and numbers, which are pushed: `32 0 SHA3`. */
export function assemble(text: string): Uint8Array {
  const parts = text.split(/\s+/).filter((token) => token !== "");
  return concatBytes(...parts.map((token) => (/^\d/.test(token) ? push(BigInt(token)) : Uint8Array.of(opcode(token)))));
}

function opcode(name: string): number {
  const op = BY_NAME.get(name);
  if (op === undefined) throw new Error(`there is no opcode ${name}`);
  return op;
}
