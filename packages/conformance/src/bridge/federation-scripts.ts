import {
  type Federation,
  federationAddress,
  parseMultisig,
  redeemScript,
  scriptHash,
  sortMembers,
} from "@cambium/bridge";
import { NETWORKS, type NetworkConfig, rulesAt } from "@cambium/config";
import { fromHex, toHex } from "@cambium/primitives";
import type { CaseResult } from "../interface.js";

/** Vectors of scripts and addresses for federations of every kind. */
export interface FederationScriptsFile {
  readonly federations: readonly FederationRow[];
}

interface FederationRow {
  readonly kind: string;
  readonly network: string;
  readonly memberBtcKeys: readonly string[];
  readonly formatVersion?: Federation["format"];
  readonly redeemScript: string;
  readonly outputScript?: string;
  readonly address?: string;
  readonly defaultRedeemScript?: string;
}

/** Names of the parent chain's networks. */
const PARENT_NETWORKS: Readonly<Record<string, NetworkConfig>> = {
  "org.bitcoin.production": NETWORKS.main,
  "org.bitcoin.test": NETWORKS.test,
  "org.bitcoin.regtest": NETWORKS.local,
};

/** Formats by kind, for rows that do not specify their format. */
const KINDS: readonly (readonly [pattern: RegExp, format: Federation["format"]])[] = [
  [/^standard/i, 1000],
  [/non-?standard/i, 2000],
  [/p2wsh/i, 4000],
  [/p2sh/i, 3000],
];

/** A height at which every scheduled rule is active. */
const LATE = 10_000_000;

export function* runFederationScripts({ federations }: FederationScriptsFile): Iterable<CaseResult> {
  for (const row of federations) {
    const name = `federation ${row.kind} on ${row.network}`;
    const different = differences(row);
    if (different.length === 0) yield { name, outcome: "passed" };
    else yield { name, outcome: "failed", reason: `other ${different.join(", ")}` };
  }
}

/** Members of the row whose values differ. */
function differences(row: FederationRow): string[] {
  const network = PARENT_NETWORKS[row.network];
  if (network === undefined) return ["network"];
  const format = row.formatVersion ?? KINDS.find(([pattern]) => pattern.test(row.kind))?.[1] ?? 1000;
  const members = sortMembers(row.memberBtcKeys.map(fromHex).map((key) => ({ btc: key, rsk: key, mst: key })));
  const federation: Federation = { format, creationTimeMillis: 0n, creationBlock: 1, members };
  const rules = rulesAt(network, LATE);
  const redeem = redeemScript(federation, network, rules);
  const actual: Partial<Record<keyof FederationRow, string>> = {
    redeemScript: toHex(redeem),
    outputScript: `a914${toHex(scriptHash(federation, network, rules))}87`,
    address: federationAddress(federation, network, rules),
    defaultRedeemScript: toHex(parseMultisig(redeem)?.defaultScript ?? redeem),
  };
  return (Object.keys(actual) as (keyof FederationRow)[]).filter(
    (key) => row[key] !== undefined && row[key] !== actual[key],
  );
}
