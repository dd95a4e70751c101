import type { ScoringReport } from "@cambium/networking";
import { CambiumError } from "@cambium/primitives";
import { servesTools } from "../compatibility.js";
import { defineMethod, type MethodDefinition, type MethodParts, required } from "../definition/method.js";
import { echo, invalidParams, type RpcError } from "../errors.js";
import type { ParamType } from "../params/param-type.js";
import { arrayOf, NULL, resource, TEXT } from "../schemas/values.js";

/** An IP address or a subnet `a.b.c.d/bits`. */
const ADDRESS_OR_BLOCK: ParamType<string> = {
  name: "ADDRESS_OR_BLOCK",
  schema: { type: "string" },
  takesIntegers: false,
  parse(value) {
    if (typeof value === "string") return value;
    throw invalidBannedAddress(value);
  },
};

const SUBJECT: ParamType<string> = {
  name: "SUBJECT",
  schema: { type: "string" },
  takesIntegers: false,
  parse(value) {
    if (typeof value === "string") return value;
    throw invalidParams(`Invalid param ${echo(value)}: expected an IP address or a node id.`);
  },
};

const SCORES = arrayOf(resource("PeerScoring"));

/** Methods for peer scoring and bans (`spec/09 §13.6`). */
export const SCORING_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "sco_banAddress",
    summary: "Bans an IP address or a subnet and closes its connections",
    params: [required("address", ADDRESS_OR_BLOCK)],
    result: NULL,
    needs: "scoring",
    handler: ({ scoring }, [address]) => withCheckedAddress(address, () => scoring!.banAddress(address)),
  }),
  defineMethod({
    name: "sco_unbanAddress",
    summary: "Unbans an IP address or a subnet; not an error if it is not banned",
    params: [required("address", ADDRESS_OR_BLOCK)],
    result: NULL,
    needs: "scoring",
    handler: ({ scoring }, [address]) => withCheckedAddress(address, () => scoring!.unbanAddress(address)),
  }),
  defineMethod({
    name: "sco_bannedAddresses",
    summary: "Banned IP addresses, followed by banned subnets",
    params: [],
    result: arrayOf(TEXT),
    needs: "scoring",
    handler: ({ scoring }) => scoring!.bannedAddresses(),
  }),
  defineMethod({
    name: "sco_peerList",
    summary: "Scoring of each node, followed by each IP address; all numbers are JSON numbers",
    params: [],
    result: SCORES,
    needs: "scoring",
    handler: peerList,
  }),
  defineMethod({
    name: "sco_reputationSummary",
    summary: "Totals over all nodes and IP addresses; all numbers are JSON numbers",
    params: [],
    result: resource("ReputationSummary"),
    needs: "scoring",
    handler: ({ scoring }) => scoring!.reputationSummary(),
  }),
  defineMethod({
    name: "sco_clearPeerScoring",
    summary: "Clears the scoring of an IP address, or of a node by peer id or hex node id; returns the remaining list",
    params: [required("subject", SUBJECT)],
    result: SCORES,
    needs: "scoring",
    handler(parts, [subject]) {
      parts.scoring!.clearPeerScoring(subject);
      return peerList(parts);
    },
  }),
];

/**
 * Returns the reports of all peers. The peer id, which the API document lacks, is included only for tools of
 * developers.
 */
function peerList(parts: MethodParts): readonly ScoringReport[] {
  const reports = parts.scoring!.peerList();
  return servesTools(parts) ? reports : reports.map(({ peer: _, ...documented }) => documented);
}

function withCheckedAddress(address: string, action: () => void): null {
  try {
    action();
    return null;
  } catch (error) {
    if (error instanceof CambiumError && error.code === "INVALID_ADDRESS") throw invalidBannedAddress(address);
    throw error;
  }
}

function invalidBannedAddress(value: unknown): RpcError {
  return invalidParams(`invalid banned address ${echo(value)}`);
}
