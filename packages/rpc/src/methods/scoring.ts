import { CambiumError } from "@cambium/primitives";
import { echo, invalidParams, type RpcError } from "../errors.js";
import { defineMethod, type MethodDefinition, required } from "../method.js";
import type { ParamType } from "../param-type.js";
import { arrayOf, NULL, resource, TEXT } from "./result-schemas.js";

/** An IP address, or a block of them: `a.b.c.d/bits`. */
const ADDRESS_OR_BLOCK: ParamType<string> = {
  name: "ADDRESS_OR_BLOCK",
  schema: { type: "string" },
  parse(value) {
    if (typeof value === "string") return value;
    throw invalidBannedAddress(value);
  },
};

const SUBJECT: ParamType<string> = {
  name: "SUBJECT",
  schema: { type: "string" },
  parse(value) {
    if (typeof value === "string") return value;
    throw invalidParams(`Invalid param ${echo(value)}: an address or a node id is expected.`);
  },
};

const SCORES = arrayOf(resource("PeerScoring"));

/** What peers did, and who is shut out: `spec/09 §13.6`. */
export const SCORING_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "sco_banAddress",
    summary: "Shuts out an IP address or a block of them, and ends their connections",
    params: [required("address", ADDRESS_OR_BLOCK)],
    result: NULL,
    needs: "scoring",
    handler: ({ scoring }, [address]) => withCheckedAddress(address, () => scoring!.banAddress(address)),
  }),
  defineMethod({
    name: "sco_unbanAddress",
    summary: "Lets an IP address or a block of them in again; one that is not banned is no error",
    params: [required("address", ADDRESS_OR_BLOCK)],
    result: NULL,
    needs: "scoring",
    handler: ({ scoring }, [address]) => withCheckedAddress(address, () => scoring!.unbanAddress(address)),
  }),
  defineMethod({
    name: "sco_bannedAddresses",
    summary: "Banned addresses, then banned blocks",
    params: [],
    result: arrayOf(TEXT),
    needs: "scoring",
    handler: ({ scoring }) => scoring!.bannedAddresses(),
  }),
  defineMethod({
    name: "sco_peerList",
    summary: "What was counted of each node, then of each address; all numbers are JSON numbers",
    params: [],
    result: SCORES,
    needs: "scoring",
    handler: ({ scoring }) => scoring!.peerList(),
  }),
  defineMethod({
    name: "sco_reputationSummary",
    summary: "Sums over all nodes and addresses; all numbers are JSON numbers",
    params: [],
    result: resource("ReputationSummary"),
    needs: "scoring",
    handler: ({ scoring }) => scoring!.reputationSummary(),
  }),
  defineMethod({
    name: "sco_clearPeerScoring",
    summary: "Forgets what was counted of an address, or of a node by its peer id or hex node id; answers what is left",
    params: [required("subject", SUBJECT)],
    result: SCORES,
    needs: "scoring",
    handler: ({ scoring }, [subject]) => {
      scoring!.clearPeerScoring(subject);
      return scoring!.peerList();
    },
  }),
];

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
