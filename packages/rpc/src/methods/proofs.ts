import { requireHeader } from "../block-lookup.js";
import { type BlockSelector, blockSelector } from "../block-selector.js";
import { invalidParams } from "../errors.js";
import { defineMethod, type MethodDefinition, optional, required } from "../requests/method.js";
import type { ParamType } from "../requests/param-type.js";
import { ADDRESS, NUMBER } from "../requests/value-types.js";
import { resource } from "./result-schemas.js";

const LATEST: BlockSelector = { kind: "latest" };
const BLOCK = blockSelector({ pending: false, hash: true, map: true });
const MAX_KEYS = 1000;

const KEYS: ParamType<readonly bigint[]> = {
  name: "STORAGE_KEYS",
  schema: { type: "array", items: NUMBER.schema, maxItems: MAX_KEYS },
  parse(value) {
    if (!Array.isArray(value)) throw invalidParams("Invalid input");
    if (value.length > MAX_KEYS) throw invalidParams(`Too many keys: ${value.length}, at most ${MAX_KEYS} are allowed`);
    return value.map((key) => NUMBER.parse(key));
  },
};

/** Proofs of accounts and storage cells (`spec/09 §11`). */
export const PROOF_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "eth_getProof",
    summary: "Merkle proof of an account and of some of its storage cells",
    params: [required("address", ADDRESS), required("keys", KEYS), optional("block", BLOCK, LATEST)],
    result: resource("AccountProof"),
    isHeavy: true,
    handler: ({ chain, heavy }, [address, keys, block], deadline) =>
      heavy.run("proof", { blockHash: requireHeader(chain, block).hash, address, keys }, deadline),
  }),
];
