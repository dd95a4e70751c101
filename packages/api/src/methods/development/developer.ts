import { EMPTY_BYTES, toData } from "@cambium/primitives";
import { defineMethod, type MethodDefinition, type MethodParts, optional, required } from "../../definition/method.js";
import { invalidParams } from "../../errors.js";
import type { JsonSchema, ParamType } from "../../params/param-type.js";
import { ADDRESS, DATA } from "../../params/value-types.js";
import { ADDRESS as ADDRESS_RESULT, arrayOf, BYTES_32, objectOf, orNull, TEXT } from "../../schemas/values.js";

const MAX_CONTRACTS = 200;
const ADDRESS_BYTES = 20;
const MAX_ID = 100;
const NAME: JsonSchema = objectOf({ id: TEXT, name: TEXT, source: TEXT });

/** Addresses, or data of any other length: code that creates a contract. */
const CONTRACTS: ParamType<readonly Uint8Array[]> = {
  name: "CONTRACTS",
  schema: {
    type: "array",
    items: { title: "address, or data of a creation", type: "string", pattern: "^(0[xX])?[0-9a-fA-F]*$" },
    maxItems: MAX_CONTRACTS,
  },
  parse(value, tags) {
    if (!Array.isArray(value) || value.length > MAX_CONTRACTS) {
      throw invalidParams(`Invalid contracts: expected a list of at most ${MAX_CONTRACTS}`);
    }
    return value.map((contract) => DATA.parse(contract, tags));
  },
};

const ID: ParamType<string> = {
  name: "ARTIFACT_ID",
  schema: { type: "string", maxLength: MAX_ID },
  parse(value) {
    if (typeof value === "string" && value.length <= MAX_ID) return value;
    throw invalidParams("Invalid id of an artifact: expected one of dev_findArtifacts");
  },
};

/** The request as a whole bounds its size. */
const ARTIFACT: ParamType<object> = {
  name: "ARTIFACT",
  schema: { title: "ABI or artifact", anyOf: [{ type: "array" }, { type: "object" }] },
  parse(value) {
    if (typeof value === "object" && value !== null) return value;
    throw invalidParams("Invalid artifact: expected an ABI, or an object that contains one");
  },
};

/** Methods for the page of a developer (`docs/local-network.md`). */
export const DEVELOPER_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "dev_accounts",
    summary: "The accounts that the node was started with, and their private keys, which are for development only",
    params: [],
    needs: "developer",
    result: arrayOf(objectOf({ address: ADDRESS_RESULT, privateKey: BYTES_32 })),
    example: "written",
    handler: ({ developer }) =>
      developer!.keys.map(({ address, privateKey }) => ({ address: toData(address), privateKey: toData(privateKey) })),
  }),
  defineMethod({
    name: "dev_findArtifacts",
    summary:
      "Names of the artifacts of contracts, by their addresses or the data that creates them, from `--abi` and " +
      "`dev_addArtifact`",
    params: [required("contracts", CONTRACTS)],
    needs: "developer",
    result: arrayOf(orNull(NAME)),
    example: "written",
    handler: (parts, [contracts]) =>
      contracts.map((contract) => {
        const isCreation = contract.length !== ADDRESS_BYTES;
        const code = isCreation ? contract : codeOf(parts, contract);
        return code.length === 0 ? null : (parts.developer!.artifacts.find(code, isCreation) ?? null);
      }),
  }),
  defineMethod({
    name: "dev_getArtifact",
    summary: "An artifact: ABI, code, storage layout, and the source map with its files if they are known",
    params: [required("id", ID)],
    needs: "developer",
    result: orNull({ type: "object" }),
    example: "written",
    handler: ({ developer }, [id]) => developer!.artifacts.read(id) ?? null,
  }),
  defineMethod({
    name: "dev_addArtifact",
    summary:
      "Keeps an ABI or artifact until the node stops: for the code of the contract at an address, or for its own code",
    params: [required("artifact", ARTIFACT), optional("address", ADDRESS, undefined)],
    needs: "developer",
    result: NAME,
    example: "written",
    handler: (parts, [artifact, address]) => {
      const code = address && codeOf(parts, address);
      if (code?.length === 0) throw invalidParams("There is no contract at this address");
      const added = parts.developer!.artifacts.add(artifact, code);
      if (added === undefined) {
        throw invalidParams("Invalid artifact: expected an ABI, or the artifact of one contract, within the limits");
      }
      return added;
    },
  }),
];

function codeOf({ chain }: MethodParts, address: Uint8Array): Uint8Array {
  return chain.stateAfter(chain.best().hash)?.getCode(address) ?? EMPTY_BYTES;
}
