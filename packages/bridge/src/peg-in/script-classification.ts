import { decodeBase58Check, decodePoint, decodeRlpList, equalBytes, hash160 } from "@cambium/primitives";
import { parseMultisig } from "../bitcoin/redeem-script.js";
import { OP, redeemHash, scriptHashOutput, tryParseScript } from "../bitcoin/script.js";
import { decodeSignature, fitsKey } from "../bitcoin/signature.js";
import { legacySignatureHash } from "../bitcoin/signature-hash.js";
import type { ParentTransaction } from "../bitcoin/transaction.js";
import { activeSpender, liveSpenders, pays, retiringSpender, type Spender } from "../federation/spending.js";
import { minimumPegIn, pegConstants } from "../peg-constants.js";
import { shownScript } from "../peg-out/peg-out-index.js";
import type { BridgeSession } from "../session.js";
import { CELLS } from "../storage/cells.js";

// How transactions were told apart before peg-outs had an index: spec/06b-3 §11, "Legacy classification".

/** What a transaction is by the scripts that it spends and pays. */
export type ScriptClass = "peg-in" | "peg-out-or-migration" | "unknown";

export function classifyByScripts(session: BridgeSession, transaction: ParentTransaction): ScriptClass {
  if (session.rules.rskip199 && spendsAny(transaction, oldFederationScript(session))) return "peg-out-or-migration";
  const live = liveSpenders(session);
  const retired = lastRetiredScript(session);
  if (couldBePegIn(session, transaction, live, retired)) return "peg-in";
  if (isMigration(session, transaction, retired)) return "peg-out-or-migration";
  return showsAny(session, transaction, live.map(defaultOutput)) ? "peg-out-or-migration" : "unknown";
}

/** A federation from before the bridge knew of any. */
function oldFederationScript({ network }: BridgeSession): Uint8Array {
  return scriptHashOutput(decodeBase58Check(pegConstants(network).oldFederationAddress)!.subarray(1));
}

function lastRetiredScript({ storage, rules }: BridgeSession): Uint8Array | undefined {
  const cell = rules.rskip186 ? storage.read(CELLS.lastRetiredScript) : undefined;
  return cell === undefined ? undefined : decodeRlpList(cell)[0]?.bytes;
}

/** Output script of the members' part alone. */
function defaultOutput({ defaultRedeem, segwit }: Spender): Uint8Array {
  return scriptHashOutput(redeemHash(defaultRedeem, segwit));
}

/** Spends nothing of the federations' and pays them enough; paying them nothing is enough from RSKIP-293 on. */
function couldBePegIn(
  session: BridgeSession,
  transaction: ParentTransaction,
  spenders: readonly Spender[],
  retired: Uint8Array | undefined,
): boolean {
  const { rules, network } = session;
  if (spenders.some(({ outputScript }) => spendsAny(transaction, outputScript))) return false;
  if (retired !== undefined && spendsAny(transaction, retired)) return false;
  if (rules.rskip201 && showsDefault(transaction, spenders, retired)) return false;
  const minimum = minimumPegIn(network, rules.rskip219);
  const paid = transaction.outputs.filter(({ script }) => pays(script, spenders)).map(({ value }) => value);
  if (rules.rskip293) return paid.every((value) => value >= minimum);
  return paid.reduce((sum, value) => sum + value, 0n) >= minimum;
}

/** Scripts that the inputs show, or from RSKIP-201 on the members' parts of those that are multisigs. */
function shownDefaults({ inputs }: ParentTransaction): Uint8Array[] {
  return inputs.flatMap((input) => {
    const redeem = shownScript(input);
    const multisig = redeem === undefined ? undefined : parseMultisig(redeem);
    return multisig === undefined ? [] : [multisig.defaultScript];
  });
}

function showsDefault(
  transaction: ParentTransaction,
  spenders: readonly Spender[],
  retired: Uint8Array | undefined,
): boolean {
  return shownDefaults(transaction).some(
    (shown) =>
      spenders.some(({ defaultRedeem }) => equalBytes(defaultRedeem, shown)) ||
      (retired !== undefined && equalBytes(scriptHashOutput(hash160(shown)), retired)),
  );
}

/** Whether an input shows the script behind one of the outputs. */
function showsAny({ rules }: BridgeSession, transaction: ParentTransaction, outputs: readonly Uint8Array[]): boolean {
  const shown = rules.rskip201
    ? shownDefaults(transaction)
    : transaction.inputs.flatMap((input) => {
        const redeem = shownScript(input);
        return redeem === undefined || tryParseScript(redeem) === undefined ? [] : [redeem];
      });
  const hides = (redeem: Uint8Array, segwit: boolean): boolean =>
    outputs.some((output) => equalBytes(output, scriptHashOutput(redeemHash(redeem, segwit))));
  return shown.some((redeem) => hides(redeem, false) || (rules.rskip305 && hides(redeem, true)));
}

/** From the retiring or the last retired federation to the active one. */
function isMigration(session: BridgeSession, transaction: ParentTransaction, retired: Uint8Array | undefined): boolean {
  const retiring = retiringSpender(session);
  const sources = [
    ...(retired === undefined ? [] : [retired]),
    ...(retiring === undefined ? [] : [defaultOutput(retiring)]),
  ];
  if (sources.length === 0 || !showsAny(session, transaction, sources)) return false;
  return couldBePegIn(session, transaction, [activeSpender(session)], undefined);
}

function spendsAny(transaction: ParentTransaction, output: Uint8Array): boolean {
  return transaction.inputs.some((_, i) => spends(transaction, i, output));
}

/**
 * Whether an input's script satisfies a P2SH output, witnesses not being looked at: a standard multisig with its
 * signatures (of type ALL, as federations make them), or a witness program, which is true as it stands. Scripts with
 * emergency keys are recognised by what they show, since there are any.
 */
function spends(transaction: ParentTransaction, position: number, output: Uint8Array): boolean {
  const chunks = tryParseScript(transaction.inputs[position]!.script);
  if (chunks === undefined || chunks.some(({ opcode }) => opcode > OP.sixteen)) return false;
  const redeem = chunks.at(-1)?.data;
  if (redeem === undefined || !equalBytes(scriptHashOutput(hash160(redeem)), output)) return false;
  if (redeem.length === 34 && redeem[0] === 0 && redeem[1] === 32) return redeem.subarray(2).some((byte) => byte !== 0);
  const multisig = parseMultisig(redeem);
  if (multisig === undefined || multisig.emergency || !equalBytes(multisig.defaultScript, redeem)) return false;
  const pushes = chunks.slice(0, -1).map(({ data }) => data);
  const [dummy, ...signatures] = pushes.slice(-1 - multisig.threshold);
  if (dummy === undefined || dummy.length > 0 || signatures.length !== multisig.threshold) return false;
  return areOrdered(signatures, multisig.keys, legacySignatureHash(transaction, position, redeem));
}

/** Whether each signature fits a key, the keys in their order. */
function areOrdered(
  signatures: readonly (Uint8Array | undefined)[],
  keys: readonly Uint8Array[],
  hash: Uint8Array,
): boolean {
  let next = 0;
  return signatures.every((bytes) => {
    const signature = bytes === undefined ? undefined : decodeSignature(bytes.subarray(0, -1));
    if (signature === undefined || bytes!.at(-1) !== 1) return false;
    for (; next < keys.length; next++) {
      const point = decodePoint(keys[next]!);
      if (point === undefined || !fitsKey(hash, signature, point)) continue;
      next++;
      return true;
    }
    return false;
  });
}
