import { BlockError, chainHeaderRules, checkAll, type ParentContext, type Rule, relayProfile } from "@cambium/chain";
import { rulesAt } from "@cambium/config";
import { MergedMiningError, verifyProofOfWork } from "@cambium/merged-mining";
import { fromHex } from "@cambium/primitives";
import { BlockHeader } from "@cambium/types";
import { z } from "zod";
import { failed } from "../comparison.js";
import type { CaseResult } from "../interface.js";
import { lineSuite } from "../line-suite.js";
import { machineOf } from "../networks.js";

const hex = z.string().regex(/^([0-9a-f]{2})+$/);

// `test/vectors/header-rules/README.md`: a header, its parent, and the verdict of one rule.
const CASE = z.object({
  network: z.enum(["main", "testnet", "regtest"]),
  /** Name of the rule here, or `relayedTimestamp`: the rules of a relayed block about its timestamp. */
  rule: z.string(),
  header: hex,
  parent: hex,
  /** Local time in seconds. */
  now: z.number().int(),
  valid: z.boolean(),
  /** Public keys of the fallback miners, for the rule `fallbackSignature`. */
  keys: z.tuple([hex, hex]).optional(),
});

type HeaderCase = z.infer<typeof CASE>;

/** Rules about headers without proof of work, one at a time. */
export const headerRulesSuite = lineSuite("header-rules", ["rule", "header"], CASE, result);

function result(name: string, one: HeaderCase): CaseResult {
  const { network } = machineOf(one.network);
  const [header, parent] = [one.header, one.parent].map((encoded) => BlockHeader.decode(fromHex(encoded), network));
  const fault = faultOf(rulesNamed(one), { header: header!, parent: parent!, network, now: one.now });
  if ((fault === undefined) === one.valid) return { name, outcome: "passed" };
  return failed(name, `${one.rule}: ${fault ?? "valid"}`);
}

function rulesNamed({ rule: name, keys }: HeaderCase): Rule<ParentContext>[] {
  if (keys !== undefined) return [fallbackRule(keys)];
  if (name === "relayedTimestamp") return relayProfile.childRules.filter((rule) => rule.name.startsWith("timestamp"));
  return chainHeaderRules.filter((rule) => rule.name === name);
}

/** The proof-of-work rule with other fallback miners than the deployed network's, whose private keys are secret. */
function fallbackRule([even, odd]: readonly [string, string]): Rule<ParentContext> {
  return {
    name: "fallbackSignature",
    check: ({ header, network }) =>
      verifyProofOfWork(header, rulesAt(network, header.number), network, [fromHex(even), fromHex(odd)]),
  };
}

/** The text of the violation; undefined if there is none. */
function faultOf(rules: readonly Rule<ParentContext>[], context: ParentContext): string | undefined {
  if (rules.length === 0) return "unknown rule";
  try {
    checkAll(rules, context);
    return undefined;
  } catch (error) {
    if (error instanceof BlockError || error instanceof MergedMiningError) return error.message;
    throw error;
  }
}
