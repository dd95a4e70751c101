import { equalBytes, fromHex } from "@cambium/primitives";
import { BridgeError } from "../errors.js";
import { joinChunks, OP, parseScript, type ScriptChunk, tryParseScript } from "./script.js";

// Recognises multisig redeem scripts: spec/06b-2 §1.3.

/** Used on the test chain for every non-standard emergency federation before RSKIP-284. */
export const TEST_SCRIPT_BEFORE_RSKIP284 = fromHex(
  "6453210208f40073a9e43b3e9103acec79767a6de9b0409749884e989960fee578012fce210225e892391625854128c5c4ea4340de0c2a70570f33db53426fc9c746597a03f42102afc230c2d355b1a577682b07bc2646041b5d0177af0f98395a46018da699b6da210344a3c38cd59afcba3edcebe143e025574594b001700dec41e59409bdbd0f2a0921039a060badbeb24bee49eb2063f616c0f0f0765d4ca646b20a88ce828f259fcdb955670300cd50b27552210216c23b2ea8e4f11c3f9e22711addb1d16a93964796913830856b568cc3ea21d3210275562901dd8faae20de0a4166362a4f82188db77dbed4ca887422ea1ec185f1421034db69f2112f4fb1bb6141bf6e2bd6631f0484d0bd95b16767902c9fe219d4a6f5368ae",
);

/** Requirements of a redeem script. */
export interface Multisig {
  /** Number of signatures required, by {@link keys}. */
  readonly threshold: number;
  /** The members' keys as pushed, in script order. */
  readonly keys: readonly Uint8Array[];
  /** Whether emergency keys may sign after a delay; spending such a script takes one more push, the branch selector. */
  readonly emergency: boolean;
  /** The members' part of a script with emergency keys; for other scripts, the script without its flyover prefix. */
  readonly defaultScript: Uint8Array;
}

/**
 * Parses the multisig of a script; undefined if it is not a multisig or cannot be parsed. Throws {@link BridgeError}
 * `PARENT_SCRIPT` where the deployed client throws: if the script has an empty push as a number, or an ELSE too close
 * to its end.
 */
export function parseMultisig(script: Uint8Array): Multisig | undefined {
  return requiringSignatures(parseRedeemForm(script));
}

/** Works like {@link parseMultisig}, but throws {@link BridgeError} `PARENT_SCRIPT` if the script cannot be parsed. */
export function parseMultisigStrictly(script: Uint8Array): Multisig | undefined {
  return requiringSignatures(formOf(script, parseScript(script)));
}

/**
 * Works like {@link parseMultisig}, but also returns forms with threshold 0, which parse like multisigs but are none.
 */
export function parseRedeemForm(script: Uint8Array): Multisig | undefined {
  const chunks = tryParseScript(script);
  return chunks === undefined ? undefined : formOf(script, chunks);
}

function requiringSignatures(form: Multisig | undefined): Multisig | undefined {
  return form !== undefined && form.threshold > 0 ? form : undefined;
}

/**
 * The client rejects the test chain's special script only without a prefix; behind a flyover prefix it is an ordinary
 * one.
 */
function formOf(script: Uint8Array, whole: readonly ScriptChunk[]): Multisig | undefined {
  if (whole.length < 4 || equalBytes(script, TEST_SCRIPT_BEFORE_RSKIP284)) return undefined;
  const chunks = withoutFlyoverPrefixes(whole);
  return standard(chunks) ?? emergency(chunks, 1, []) ?? emergency(chunks, 2, [CHECK]);
}

function withoutFlyoverPrefixes(chunks: readonly ScriptChunk[]): readonly ScriptChunk[] {
  let at = 0;
  while (chunks[at]!.opcode === 32 && chunks[at + 1]!.opcode === OP.drop && chunks.length - at - 2 >= 4) {
    if (!endsLikeRedeem(chunks)) break;
    at += 2;
  }
  return chunks.slice(at);
}

function isCheck(chunk: ScriptChunk | undefined): boolean {
  return chunk?.opcode === OP.checkMultisig || chunk?.opcode === OP.checkMultisigVerify;
}

/** Whether the script ends like a multisig, or like one whose last opcode is ENDIF. */
function endsLikeRedeem(chunks: readonly ScriptChunk[]): boolean {
  return isCheck(chunks.at(-1)) || (chunks.at(-1)!.opcode === OP.endIf && isCheck(chunks.at(-2)));
}

/** A non-negative number: a small-number opcode, or a push of up to four signed little-endian bytes. */
function countOf({ opcode, data }: ScriptChunk): number | undefined {
  if (opcode >= OP.one && opcode <= OP.sixteen) return opcode - OP.one + 1;
  if (data === undefined) return undefined;
  if (data.length === 0) throw new BridgeError({ code: "PARENT_SCRIPT", reason: "empty push as a number" });
  if (data.length > 4 || data.at(-1)! >= 0x80) return undefined;
  return data.reduceRight((sum, byte) => sum * 256 + byte, 0);
}

/** `M keys n CHECKMULTISIG`. */
function standard(chunks: readonly ScriptChunk[]): Multisig | undefined {
  if (chunks.length < 4 || !isCheck(chunks.at(-1))) return undefined;
  const threshold = countOf(chunks[0]!);
  const count = threshold === undefined ? undefined : countOf(chunks.at(-2)!);
  if (threshold === undefined || count === undefined || chunks.length !== count + 3) return undefined;
  const keys = chunks.slice(1, -2).map((chunk) => chunk.data);
  if (!keys.every((key) => key !== undefined)) return undefined;
  return { threshold, keys, emergency: false, defaultScript: joinChunks(chunks) };
}

function isNumberPush({ opcode }: ScriptChunk): boolean {
  return opcode <= OP.sixteen;
}

/** Position of the ELSE before the delay, undefined if there is none. */
function delayPosition(chunks: readonly ScriptChunk[]): number | undefined {
  const at = chunks.findIndex(({ opcode }, i) => opcode === OP.else && i > 0 && i + 3 <= chunks.length);
  if (at < 0) return undefined;
  if (at + 3 === chunks.length) throw new BridgeError({ code: "PARENT_SCRIPT", reason: "ends within the delay" });
  const isDelay =
    isNumberPush(chunks[at + 1]!) &&
    chunks[at + 2]!.opcode === OP.checkSequenceVerify &&
    chunks[at + 3]!.opcode === OP.drop;
  return isDelay ? at : undefined;
}

const CHECK: ScriptChunk = { opcode: OP.checkMultisig, raw: Uint8Array.of(OP.checkMultisig) };

/**
 * Parses `NOTIF members ELSE delay CSV DROP emergency ENDIF`. In the older form, one CHECKMULTISIG after ENDIF serves
 * both parts. ENDIF is the `fromEnd`th chunk from the end; `tail` completes each part.
 */
function emergency(
  chunks: readonly ScriptChunk[],
  fromEnd: number,
  tail: readonly ScriptChunk[],
): Multisig | undefined {
  const end = chunks.length - fromEnd;
  if (!endsLikeRedeem(chunks) || chunks[0]!.opcode !== OP.notIf || chunks[end]!.opcode !== OP.endIf) return undefined;
  const at = delayPosition(chunks);
  if (at === undefined) return undefined;
  const members = standard([...chunks.slice(1, at), ...tail]);
  const others = members === undefined ? undefined : standard([...chunks.slice(at + 4, end), ...tail]);
  return members === undefined || others === undefined ? undefined : { ...members, emergency: true };
}
