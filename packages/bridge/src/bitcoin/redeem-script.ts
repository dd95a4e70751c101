import { equalBytes } from "@cambium/primitives";
import { TEST_SCRIPT_BEFORE_RSKIP284 } from "../federation/script.js";
import { OP, parseScript, type ScriptChunk, tryParseScript } from "./script.js";

// Which multisig a script is: spec/06b-2 §1.3.

/** What a redeem script demands. */
export interface Multisig {
  /** Signatures needed of {@link keys}. */
  readonly threshold: number;
  /** The members' keys in script order, as pushed. */
  readonly keys: readonly Uint8Array[];
  /** Whether emergency keys may sign after a delay: such a script takes one more empty push. */
  readonly emergency: boolean;
  /** The members' part of a script with emergency keys, otherwise the script without a flyover prefix. */
  readonly defaultScript: Uint8Array;
}

/** The multisig of a script, undefined when it is none (or does not parse). */
export function parseMultisig(script: Uint8Array): Multisig | undefined {
  const chunks = tryParseScript(script);
  return chunks === undefined ? undefined : multisigOf(script, chunks);
}

/** As {@link parseMultisig}, but throws {@link BridgeError} `PARENT_SCRIPT` on what does not parse. */
export function parseMultisigStrictly(script: Uint8Array): Multisig | undefined {
  return multisigOf(script, parseScript(script));
}

function multisigOf(script: Uint8Array, chunks: readonly ScriptChunk[]): Multisig | undefined {
  if (chunks.length < 4 || equalBytes(script, TEST_SCRIPT_BEFORE_RSKIP284)) return undefined;
  if (hasFlyoverPrefix(chunks)) return multisigOf(script.subarray(34), chunks.slice(2));
  return (
    standard(script, chunks) ?? emergency(script, chunks, chunks.length - 1) ?? sharedCheckEmergency(script, chunks)
  );
}

function isCheck(chunk: ScriptChunk | undefined): boolean {
  return chunk?.opcode === OP.checkMultisig || chunk?.opcode === OP.checkMultisigVerify;
}

/** Ends as a multisig does, or as one whose last opcode is ENDIF. */
function isRedeemLike(chunks: readonly ScriptChunk[]): boolean {
  if (chunks.length < 4) return false;
  return isCheck(chunks.at(-1)) || (chunks.at(-1)!.opcode === OP.endIf && isCheck(chunks.at(-2)));
}

function hasFlyoverPrefix(chunks: readonly ScriptChunk[]): boolean {
  return chunks[0]!.opcode === 32 && chunks[1]!.opcode === OP.drop && isRedeemLike(chunks.slice(2));
}

/** A positive number: a small-number opcode, or a push of up to four signed little-endian bytes. */
function positiveNumber({ opcode, data }: ScriptChunk): number | undefined {
  if (opcode >= OP.one && opcode <= OP.sixteen) return opcode - OP.one + 1;
  if (data === undefined || data.length === 0 || data.length > 4 || data.at(-1)! >= 0x80) return undefined;
  const value = data.reduceRight((sum, byte) => sum * 256 + byte, 0);
  return value > 0 ? value : undefined;
}

function standard(script: Uint8Array, chunks: readonly ScriptChunk[]): Multisig | undefined {
  if (chunks.length < 4 || !isCheck(chunks.at(-1))) return undefined;
  const threshold = positiveNumber(chunks[0]!);
  const count = positiveNumber(chunks.at(-2)!);
  if (threshold === undefined || count === undefined || chunks.length !== count + 3) return undefined;
  const keys = chunks.slice(1, -2).map((chunk) => chunk.data);
  if (!keys.every((key) => key !== undefined)) return undefined;
  return { threshold, keys, emergency: false, defaultScript: script };
}

/** Position of the ELSE that the delay follows; -1 when there is none. */
function delayPosition(chunks: readonly ScriptChunk[]): number {
  const at = chunks.findIndex((chunk, i) => chunk.opcode === OP.else && i > 0 && chunks[i + 1]?.data !== undefined);
  const [check, drop] = at < 0 ? [] : chunks.slice(at + 2, at + 4);
  return check?.opcode === OP.checkSequenceVerify && drop?.opcode === OP.drop ? at : -1;
}

const CHECK: ScriptChunk = { opcode: OP.checkMultisig, raw: Uint8Array.of(OP.checkMultisig) };

/** `NOTIF members ELSE delay CSV DROP emergency ENDIF`, ENDIF standing at `end`; `tail` completes either part. */
function emergency(
  script: Uint8Array,
  chunks: readonly ScriptChunk[],
  end: number,
  tail: readonly ScriptChunk[] = [],
): Multisig | undefined {
  if (chunks[0]!.opcode !== OP.notIf || chunks[end]?.opcode !== OP.endIf) return undefined;
  const at = delayPosition(chunks);
  if (at < 0) return undefined;
  const size = chunks.slice(0, at).reduce((sum, chunk) => sum + chunk.raw.length, 0);
  const bytes = Uint8Array.from([...script.subarray(1, size), ...tail.map((chunk) => chunk.opcode)]);
  const members = standard(bytes, [...chunks.slice(1, at), ...tail]);
  const others = standard(script, [...chunks.slice(at + 4, end), ...tail]);
  return members === undefined || others === undefined ? undefined : { ...members, emergency: true };
}

/** The older form: one CHECKMULTISIG behind ENDIF serves both parts. */
function sharedCheckEmergency(script: Uint8Array, chunks: readonly ScriptChunk[]): Multisig | undefined {
  if (!isCheck(chunks.at(-1))) return undefined;
  return emergency(script, chunks, chunks.length - 2, [CHECK]);
}
