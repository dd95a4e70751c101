import { NETWORKS, type NetworkName } from "@cambium/config";
import type { Situation } from "./world.js";

/** Situations by a part of the note's text. */
const SITUATIONS: readonly [RegExp, (groups: readonly string[]) => Situation][] = [
  [/\b(main|test|local) network\b/, ([name]) => ({ network: NETWORKS[name as NetworkName] })],
  [/\bwallet off\b/, () => ({ wallet: false })],
  [/\bwallet on\b/, () => ({ wallet: true })],
  [/\bseed (\w+)/, ([seed]) => ({ seeds: [seed!] })],
  [/\bprice (\d+)/, ([price]) => ({ minimumGasPrice: BigInt(price!), pool: multiplied(1) })],
  [/\bmultiplier (\d+(?:\.\d+)?)/, ([factor]) => ({ pool: multiplied(Number(factor)) })],
  [
    /\ballowCallStateOverride = (true|false)\b/,
    ([value]) => ({ config: { allowCallStateOverride: value === "true" } }),
  ],
];

function multiplied(factor: number): Situation["pool"] {
  return { gasPriceMultiplier: factor, minGasPriceMultiplier: factor };
}

/** The situation described by a note; empty for notes that only explain. */
export function situationOf(note = ""): Situation {
  let situation: Situation = {};
  for (const [pattern, build] of SITUATIONS) {
    const match = pattern.exec(note);
    if (match !== null) situation = { ...situation, ...build(match.slice(1)) };
  }
  return situation;
}

/** Notes that explain a result without describing a situation. */
const EXPLANATION = /^(unknown|empty|no such|plain transfer|state override|first|second|third)\b/;

/** Whether a note describes a situation that this suite cannot set up. */
export function isOfOtherSituation(note?: string): boolean {
  if (note === undefined || EXPLANATION.test(note)) return false;
  return !SITUATIONS.some(([pattern]) => pattern.test(note));
}
