import { NETWORKS, type NetworkName } from "@cambium/config";
import type { Situation } from "./world.js";

/** Situations that notes tell of, by a part of their text. */
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

/** The situation a note tells of; notes that only explain tell of none. */
export function situationOf(note = ""): Situation {
  let situation: Situation = {};
  for (const [pattern, told] of SITUATIONS) {
    const match = pattern.exec(note);
    if (match !== null) situation = { ...situation, ...told(match.slice(1)) };
  }
  return situation;
}

/** Notes that explain the result of a node about which nothing else is told. */
const EXPLANATION = /^(unknown|empty|no such|plain transfer|state override|first|second|third)\b/;

/** Whether a note tells of a situation that this suite does not know how to make. */
export function isOfOtherSituation(note?: string): boolean {
  if (note === undefined || EXPLANATION.test(note)) return false;
  return !SITUATIONS.some(([pattern]) => pattern.test(note));
}
