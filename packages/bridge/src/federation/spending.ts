import type { Rules } from "@cambium/config";
import { equalBytes } from "@cambium/primitives";
import { parseMultisig } from "../bitcoin/redeem-script.js";
import { publicKeyHashOf, redeemHash, scriptHashOutput, tryParseScript } from "../bitcoin/script.js";
import type { ParentOutput, ParentTransaction } from "../bitcoin/transaction.js";
import { BridgeError } from "../errors.js";
import { type Federation, federationThreshold } from "../model/federation.js";
import type { BridgeSession } from "../session.js";
import { redeemScript } from "./script.js";

/** Measures that determine the size of a federation's signatures: their number, and the length of its redeem script. */
export interface Signers {
  readonly threshold: number;
  readonly redeemLength: number;
}

/** A federation with the scripts needed to pay to it and spend from it. */
export interface Spender {
  readonly federation: Federation;
  readonly redeem: Uint8Array;
  /** Whether its UTXOs are spent with witnesses (format 4000). */
  readonly segwit: boolean;
  readonly signers: Signers;
  /** Hash in its output script. */
  readonly hash: Uint8Array;
  readonly outputScript: Uint8Array;
  /**
   * Part of the redeem script that belongs to the members; undefined for the test chain's special script, which has
   * none (RSKIP-284).
   */
  readonly defaultRedeem: Uint8Array | undefined;
}

interface KnownSpender extends Pick<BridgeSession, "network"> {
  /** The rules that its scripts depend on. */
  readonly rules: Pick<Rules, "rskip284" | "rskip293">;
  readonly spender: Spender;
}

/** The last scripts of each federation, which change with rules only. */
const known = new WeakMap<Federation, KnownSpender>();

/** Scripts of a federation. Throws {@link BridgeError} `SCRIPT_SIZE` if they exceed the limits. */
export function spenderOf(session: BridgeSession, federation: Federation): Spender {
  const { network, rules } = session;
  const last = known.get(federation);
  const isCurrent =
    last?.network === network && last.rules.rskip284 === rules.rskip284 && last.rules.rskip293 === rules.rskip293;
  if (isCurrent) return last.spender;
  const spender = makeSpender(session, federation);
  known.set(federation, { network, rules, spender });
  return spender;
}

function makeSpender({ network, rules }: BridgeSession, federation: Federation): Spender {
  const redeem = redeemScript(federation, network, rules);
  const segwit = federation.format === 4000;
  const hash = redeemHash(redeem, segwit);
  return {
    federation,
    redeem,
    segwit,
    signers: { threshold: federationThreshold(federation), redeemLength: redeem.length },
    hash,
    outputScript: scriptHashOutput(hash),
    defaultRedeem: federation.format === 1000 ? redeem : parseMultisig(redeem)?.defaultScript,
  };
}

export function activeSpender(session: BridgeSession): Spender {
  return spenderOf(session, session.activeFederation);
}

export function retiringSpender(session: BridgeSession): Spender | undefined {
  const { retiring } = session.federations;
  return retiring === undefined ? undefined : spenderOf(session, retiring);
}

/** The active federation, then the retiring one if there is one. */
export function liveSpenders(session: BridgeSession): Spender[] {
  const retiring = retiringSpender(session);
  return retiring === undefined ? [activeSpender(session)] : [activeSpender(session), retiring];
}

/** Output script of the members' part alone. Throws {@link BridgeError} `PARENT_SCRIPT` if the script has none. */
export function defaultOutput({ defaultRedeem, segwit }: Spender): Uint8Array {
  if (defaultRedeem === undefined) throw new BridgeError({ code: "PARENT_SCRIPT", reason: "no members' part" });
  return scriptHashOutput(redeemHash(defaultRedeem, segwit));
}

/** Outputs that pay to one of the federations. Throws as {@link inspectOutputs} does. */
export function outputsTo(transaction: ParentTransaction, spenders: readonly Spender[]): ParentOutput[] {
  inspectOutputs(transaction);
  return transaction.outputs.filter(({ script }) =>
    spenders.some((spender) => equalBytes(script, spender.outputScript)),
  );
}

/**
 * Inspects every output like a wallet looking for its own. Skips scripts that cannot be parsed, but
 * {@link publicKeyHashOf} throws {@link BridgeError} on some.
 */
export function inspectOutputs({ outputs }: ParentTransaction): void {
  for (const { script } of outputs) publicKeyHashOf(tryParseScript(script) ?? []);
}
