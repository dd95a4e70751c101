import { decodeBase58Check, equalBytes, hash160 } from "@cambium/primitives";
import { parseRedeemForm } from "../bitcoin/redeem-script.js";
import { OP, parseScript, redeemHash, scriptHashOutput, tryParseScript } from "../bitcoin/script.js";
import { satisfies } from "../bitcoin/script-execution.js";
import type { ParentTransaction } from "../bitcoin/transaction.js";
import { revealedScript } from "../bitcoin/unsigned-form.js";
import { BridgeError } from "../errors.js";
import {
  activeSpender,
  defaultOutput,
  liveSpenders,
  outputsTo,
  retiringSpender,
  type Spender,
} from "../federation/spending.js";
import { decodeItems } from "../model/codecs.js";
import type { BridgeSession } from "../session.js";
import { CELLS } from "../storage/cells.js";
import { minimumPegIn } from "./minimum-peg-in.js";

// Classification of transactions before peg-outs were indexed: spec/06b-3 §11, "Legacy classification".

const MAX_LONG_PUSH = 520;

/** Kind of a transaction according to the scripts it spends and pays to. */
export type ScriptClass = "peg-in" | "peg-out-or-migration" | "unknown";

export function classifyByScripts(session: BridgeSession, transaction: ParentTransaction): ScriptClass {
  if (session.rules.rskip199 && spendsAny(transaction, oldFederationScript(session))) return "peg-out-or-migration";
  const live = liveSpenders(session);
  const retired = lastRetiredScript(session);
  if (couldBePegIn(session, transaction, live, retired)) return "peg-in";
  if (isMigration(session, transaction, retired)) return "peg-out-or-migration";
  return revealsAny(session, transaction, live.map(defaultOutput)) ? "peg-out-or-migration" : "unknown";
}

/** The federation before the bridge stored federations. */
function oldFederationScript({ network }: BridgeSession): Uint8Array {
  return scriptHashOutput(decodeBase58Check(network.bridge.oldFederationAddress)!.subarray(1));
}

function lastRetiredScript({ storage, rules }: BridgeSession): Uint8Array | undefined {
  const cell = rules.rskip186 ? storage.read(CELLS.lastRetiredScript) : undefined;
  return cell === undefined ? undefined : decodeItems(cell, 1, "script")[0]!.bytes;
}

/**
 * Whether a transaction spends nothing from the federations and pays enough to them. From RSKIP-293 on, paying nothing
 * is accepted too.
 */
function couldBePegIn(
  session: BridgeSession,
  transaction: ParentTransaction,
  spenders: readonly Spender[],
  retired: Uint8Array | undefined,
): boolean {
  const { rules } = session;
  if (transaction.inputs.some((_, i) => isOwnInput(session, transaction, i, spenders, retired))) return false;
  const minimum = minimumPegIn(session);
  const paid = outputsTo(transaction, spenders).map(({ value }) => value);
  if (rules.rskip293) return paid.every((value) => value >= minimum);
  return paid.reduce((sum, value) => sum + value, 0n) >= minimum;
}

/**
 * Whether an input spends a federation's UTXO: its script satisfies a federation's output script, or contains the
 * members' part of its redeem script (RSKIP-201). An input script that cannot be parsed satisfies none, but fails the
 * call when its redeem script is read.
 */
function isOwnInput(
  { rules }: BridgeSession,
  transaction: ParentTransaction,
  position: number,
  spenders: readonly Spender[],
  retired: Uint8Array | undefined,
): boolean {
  if (spenders.some(({ outputScript }) => satisfies(transaction, position, outputScript))) return true;
  if (retired !== undefined && satisfies(transaction, position, retired)) return true;
  const redeem = revealedScript(transaction.inputs[position]!);
  const shown = rules.rskip201 && redeem !== undefined ? parseRedeemForm(redeem)?.defaultScript : undefined;
  if (shown === undefined) return false;
  requireRebuildable(shown);
  for (const { defaultRedeem } of spenders) {
    // A federation without a members' part ends the comparison (RSKIP-284).
    if (defaultRedeem === undefined) return false;
    if (equalBytes(defaultRedeem, shown)) return true;
  }
  return retired !== undefined && equalBytes(scriptHashOutput(hash160(shown)), retired);
}

/** Whether an input reveals the script of one of the outputs. Stops at the first input that does. */
function revealsAny({ rules }: BridgeSession, transaction: ParentTransaction, outputs: readonly Uint8Array[]): boolean {
  const hides = (redeem: Uint8Array, segwit: boolean): boolean =>
    outputs.some((output) => equalBytes(output, scriptHashOutput(redeemHash(redeem, segwit))));
  return transaction.inputs.some((input) => {
    const redeem = revealedScript(input);
    const shown = redeem === undefined ? undefined : comparable(redeem, rules.rskip201);
    if (shown === undefined) return false;
    requireRebuildable(shown);
    return hides(shown, false) || (rules.rskip305 && hides(shown, true));
  });
}

/**
 * Returns the part of a revealed script to compare: all of it, or the members' part from RSKIP-201 on. Undefined if it
 * cannot be parsed.
 */
function comparable(redeem: Uint8Array, rskip201: boolean): Uint8Array | undefined {
  if (rskip201) return parseRedeemForm(redeem)?.defaultScript;
  return tryParseScript(redeem) === undefined ? undefined : redeem;
}

/** The deployed client compares re-encoded scripts and cannot encode a push with a four-byte length. */
function requireRebuildable(script: Uint8Array): void {
  for (const { opcode, data } of parseScript(script)) {
    if (opcode !== OP.pushData4 || data!.length <= MAX_LONG_PUSH) continue;
    throw new BridgeError({ code: "PARENT_SCRIPT", reason: `push of ${data!.length} bytes with a four-byte length` });
  }
}

/**
 * Whether UTXOs move from the retiring or last retired federation to the active one. Both conditions are always
 * evaluated, because either can throw.
 */
function isMigration(session: BridgeSession, transaction: ParentTransaction, retired: Uint8Array | undefined): boolean {
  const retiring = retiringSpender(session);
  const sources = [
    ...(retired === undefined ? [] : [retired]),
    ...(retiring === undefined ? [] : [defaultOutput(retiring)]),
  ];
  if (sources.length === 0) return false;
  const isFrom = revealsAny(session, transaction, sources);
  const isTo = couldBePegIn(session, transaction, [activeSpender(session)], undefined);
  return isFrom && isTo;
}

function spendsAny(transaction: ParentTransaction, output: Uint8Array): boolean {
  return transaction.inputs.some((_, i) => satisfies(transaction, i, output));
}
