import { decodePoint, equalBytes, hash160, joinBytes } from "@cambium/primitives";
import { isScriptHashOutput, OP, pushData, type ScriptChunk, tryParseScript } from "./script.js";
import { decodeSignature, isCanonical, matchesKey } from "./signature.js";
import { legacySignatureHash } from "./signature-hash.js";
import type { ParentTransaction } from "./transaction.js";

// Runs an input's script against the output it would spend, like `Script.correctlySpends` of the deployed client's
// parent-chain library with all flags (spec/06b-3 §11, "script verification"). Witnesses are not run. Only the opcodes
// of federation scripts and P2SH outputs are supported: a script with any other opcode fails.

const MAX_SCRIPT = 10_000;
const MAX_ELEMENT = 520;
const MAX_STACK = 1000;
const MAX_KEYS = 20;
const MAX_NUMBER = 4;
const MAX_DELAY = 5;
const DISABLED_DELAY = 2 ** 31;
const TIME_DELAY = 2 ** 22;
const DELAY_MASK = 0xffff;

const TRUE = Uint8Array.of(1);
const FALSE = new Uint8Array(0);

/** Ends the execution of a failing script. */
class ScriptFailure extends Error {}

function ensure(condition: boolean): asserts condition {
  if (!condition) throw new ScriptFailure();
}

/** The input whose signatures are verified. */
interface Spending {
  readonly transaction: ParentTransaction;
  /** Index of the input. */
  readonly position: number;
}

/** Whether an input's script satisfies the output script. */
export function satisfies(transaction: ParentTransaction, position: number, output: Uint8Array): boolean {
  try {
    run({ transaction, position }, transaction.inputs[position]!.script, output);
    return true;
  } catch (error) {
    if (error instanceof ScriptFailure) return false;
    throw error;
  }
}

function run(spending: Spending, input: Uint8Array, output: Uint8Array): void {
  const pushes = chunksOf(input);
  ensure(pushes.every(isPush) && input.length <= MAX_SCRIPT && output.length <= MAX_SCRIPT);
  const stack: Uint8Array[] = [];
  execute(spending, pushes, stack);
  const redeem = stack.at(-1);
  const below = stack.slice(0, -1);
  execute(spending, chunksOf(output), stack);
  ensure(isTrue(stack.pop()));
  if (!isScriptHashOutput(output)) return;
  execute(spending, chunksOf(redeem!), below);
  ensure(isTrue(below.pop()));
}

function chunksOf(script: Uint8Array): readonly ScriptChunk[] {
  const chunks = tryParseScript(script);
  ensure(chunks !== undefined);
  return chunks;
}

function isPush({ opcode }: ScriptChunk): boolean {
  return opcode <= OP.sixteen;
}

/** Neither empty nor zero; zero may be negative. */
function isTrue(element: Uint8Array | undefined): boolean {
  if (element === undefined) return false;
  return element.some((byte, i) => byte !== 0 && !(i === element.length - 1 && byte === 0x80));
}

function pop(stack: Uint8Array[]): Uint8Array {
  const element = stack.pop();
  ensure(element !== undefined);
  return element;
}

/** A signed little-endian number; the top bit is the sign. */
function toNumber(element: Uint8Array, maximum: number): number {
  ensure(element.length <= maximum);
  const last = element.at(-1) ?? 0;
  const magnitude = element.reduceRight(
    (sum, byte, i) => sum * 256 + (i === element.length - 1 ? byte & 0x7f : byte),
    0,
  );
  return last >= 0x80 ? -magnitude : magnitude;
}

function execute(spending: Spending, script: readonly ScriptChunk[], stack: Uint8Array[]): void {
  /** Conditions of the enclosing branches. */
  const branches: boolean[] = [];
  for (const chunk of script) {
    const runs = !branches.includes(false);
    if (!branch(chunk, branches, stack, runs)) {
      ensure((chunk.data?.length ?? 0) <= MAX_ELEMENT);
      if (runs) step(spending, script, chunk, stack);
    }
    ensure(stack.length <= MAX_STACK);
  }
  ensure(branches.length === 0);
}

/** Whether the chunk opens, switches or closes a branch, which it does even in branches that are not executed. */
function branch({ opcode }: ScriptChunk, branches: boolean[], stack: Uint8Array[], runs: boolean): boolean {
  switch (opcode) {
    case OP.if:
    case OP.notIf:
      branches.push(runs && isTrue(pop(stack)) === (opcode === OP.if));
      return true;
    case OP.else:
      ensure(branches.length > 0);
      branches.push(!branches.pop());
      return true;
    case OP.endIf:
      ensure(branches.length > 0);
      branches.pop();
      return true;
    default:
      return false;
  }
}

function step(spending: Spending, script: readonly ScriptChunk[], chunk: ScriptChunk, stack: Uint8Array[]): void {
  const { opcode, data } = chunk;
  if (data !== undefined) stack.push(data);
  else if (opcode >= OP.one && opcode <= OP.sixteen) stack.push(Uint8Array.of(opcode - OP.one + 1));
  else if (opcode === OP.negative1) stack.push(Uint8Array.of(0x81));
  else if (opcode === OP.drop) pop(stack);
  else if (opcode === OP.hash160) stack.push(hash160(pop(stack)));
  else if (opcode === OP.equal) stack.push(equalBytes(pop(stack), pop(stack)) ? TRUE : FALSE);
  else if (opcode === OP.checkSequenceVerify) checkDelay(spending, stack.at(-1));
  else if (opcode === OP.checkMultisig) stack.push(checkMultisig(spending, script, stack) ? TRUE : FALSE);
  else if (opcode === OP.checkMultisigVerify) ensure(checkMultisig(spending, script, stack));
  else throw new ScriptFailure();
}

/** BIP-112: the input's sequence must cover the delay in the script. */
function checkDelay({ transaction, position }: Spending, demanded: Uint8Array | undefined): void {
  ensure(demanded !== undefined);
  const delay = toNumber(demanded, MAX_DELAY);
  ensure(delay >= 0);
  // Division instead of a bit mask: these numbers have up to 39 bits.
  if (Math.floor(delay / DISABLED_DELAY) % 2 === 1) return;
  const { sequence } = transaction.inputs[position]!;
  ensure(transaction.version >= 2 && sequence < DISABLED_DELAY);
  ensure((delay & TIME_DELAY) === (sequence & TIME_DELAY) && (delay & DELAY_MASK) <= (sequence & DELAY_MASK));
}

/** Pops keys, signatures and the extra element of CHECKMULTISIG. */
function checkMultisig(spending: Spending, script: readonly ScriptChunk[], stack: Uint8Array[]): boolean {
  const keys = popCounted(stack, MAX_KEYS);
  const signatures = popCounted(stack, keys.length);
  const signed = scriptSigned(script, signatures);
  const isValid = areSignatures(spending, signed, signatures, keys);
  ensure(pop(stack).length === 0);
  return isValid;
}

/** Pops a count and as many elements, top first; one more element must remain. */
function popCounted(stack: Uint8Array[], maximum: number): Uint8Array[] {
  ensure(stack.length >= 2);
  const count = toNumber(pop(stack), MAX_NUMBER);
  ensure(count >= 0 && count <= maximum && stack.length > count);
  return Array.from({ length: count }, () => stack.pop()!);
}

/** The script that signatures sign: without pushes of the signatures themselves. */
function scriptSigned(script: readonly ScriptChunk[], signatures: readonly Uint8Array[]): Uint8Array {
  const pushes = signatures.map(pushData);
  return joinBytes(script.map(({ raw }) => raw).filter((raw) => !pushes.some((push) => equalBytes(push, raw))));
}

/** Whether each signature matches a key, with keys and signatures in the same order. */
function areSignatures(
  { transaction, position }: Spending,
  script: Uint8Array,
  signatures: readonly Uint8Array[],
  keys: readonly Uint8Array[],
): boolean {
  let fitting = 0;
  for (let next = 0; fitting < signatures.length; next++) {
    if (signatures.length - fitting > keys.length - next) return false;
    if (isSignature(transaction, position, script, signatures[fitting]!, keys[next]!)) fitting++;
  }
  return true;
}

function isSignature(
  transaction: ParentTransaction,
  position: number,
  script: Uint8Array,
  bytes: Uint8Array,
  key: Uint8Array,
): boolean {
  const signature = isCanonical(bytes) ? decodeSignature(bytes.subarray(0, -1)) : undefined;
  const point = decodePoint(key);
  if (signature === undefined || point === undefined) return false;
  return matchesKey(legacySignatureHash(transaction, position, script, bytes.at(-1)!), signature, point);
}
