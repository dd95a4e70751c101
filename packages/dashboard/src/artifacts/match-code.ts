import type { Artifact, Gap } from "./artifact.js";

/** Code up to a library's own address, which the deployment fills in. */
const OWN_ADDRESS = /^73(0{40})/;
/** Solidity pushes a zero in this way only in the place of an immutable value. */
const IMMUTABLE = /7f(0{64})/g;
/** Name of a library whose address is filled in before the deployment. */
const LIBRARY = /__.{36}__/g;
/** Longest metadata at the end of code, in bytes. */
const MAX_METADATA = 200;

/** Whether an artifact describes deployed code, which may differ in its metadata, immutable values and libraries. */
export function matchesCode({ runtime, gaps }: Pick<Artifact, "runtime" | "gaps">, deployed: string): boolean {
  const own = withoutMetadata(runtime);
  const code = withoutMetadata(deployed.replace(/^0x/, "").toLowerCase());
  if (own === "" || own.length !== code.length) return false;
  let position = 0;
  for (const [start, end] of ignoredDigits(own, gaps)) {
    if (start > position && own.slice(position, start) !== code.slice(position, start)) return false;
    position = Math.max(position, end);
  }
  return own.slice(position) === code.slice(position);
}

/** Hex digits of code without its metadata; artifacts of code with the same number of them may match. */
export function digitsOfCode(code: string): number {
  return withoutMetadata(code.replace(/^0x/, "")).length;
}

/** Returns the arguments that follow the creation code in the input of a creation; undefined if the code differs. */
export function constructorArguments({ creation }: Pick<Artifact, "creation">, input: string): string | undefined {
  const code = input.replace(/^0x/, "").toLowerCase();
  if (creation === "" || code.length < creation.length) return undefined;
  const own = withoutMetadata(creation);
  let position = 0;
  for (const [start, end] of ignoredDigits(own, [])) {
    if (start > position && own.slice(position, start) !== code.slice(position, start)) return undefined;
    position = Math.max(position, end);
  }
  return own.slice(position) === code.slice(position, own.length) ? code.slice(creation.length) : undefined;
}

/** Ranges of digits that may differ, in the order of their starts. */
function ignoredDigits(code: string, gaps: readonly Gap[]): [start: number, end: number][] {
  const ranges = gaps.map(({ start, length }): [number, number] => [2 * start, 2 * (start + length)]);
  if (OWN_ADDRESS.test(code)) ranges.push([2, 42]);
  for (const { index } of code.matchAll(IMMUTABLE)) if (index % 2 === 0) ranges.push([index + 2, index + 66]);
  for (const { index } of code.matchAll(LIBRARY)) ranges.push([index, index + 40]);
  return ranges.sort(([a], [b]) => a - b);
}

/** Solidity ends code with a CBOR map, and the length of it in two bytes. */
function withoutMetadata(code: string): string {
  const length = Number.parseInt(code.slice(-4), 16);
  const start = code.length - 4 - 2 * length;
  const isMap = length > 0 && length <= MAX_METADATA && start > 0 && /^a[1-9]$/.test(code.slice(start, start + 2));
  return isMap ? code.slice(0, start) : code;
}
