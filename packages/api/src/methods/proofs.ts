import { defineMethod, type MethodDefinition, optional, required } from "../definition/method.js";
import { invalidParams } from "../errors.js";
import { requireHeader } from "../lookups/block-lookup.js";
import type { AccountProof } from "../lookups/state-proof.js";
import { ZERO_HASH } from "../objects/format.js";
import { JsonText } from "../objects/json-text.js";
import { type BlockSelector, blockSelector } from "../params/block-selector.js";
import type { JsonSchema, ParamType } from "../params/param-type.js";
import { ADDRESS, NUMBER } from "../params/value-types.js";
import { BYTES_32, orNull, QUANTITY, resource } from "../schemas/values.js";

const LATEST: BlockSelector = { kind: "latest" };
const BLOCK = blockSelector({ pending: false, hash: true, map: true });
const MAX_KEYS = 1000;

const ACCOUNT: JsonSchema = {
  type: "object",
  required: ["nonce", "balance", "codeHash", "storageRoot"],
  properties: { nonce: QUANTITY, balance: QUANTITY, codeHash: BYTES_32, storageRoot: BYTES_32 },
};

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
    errors: ["STATE_NOT_FOUND"],
    cost: "call",
    handler: ({ chain, heavy }, [address, keys, block], deadline) =>
      heavy.run("proof", { blockHash: requireHeader(chain, block).hash, address, keys }, deadline),
  }),
  defineMethod({
    name: "eth_getAccount",
    summary:
      "Nonce, balance, hash of the code and root of the storage of an account, as eth_getProof has them; null if there is none",
    params: [required("address", ADDRESS), optional("block", BLOCK, LATEST)],
    result: orNull(ACCOUNT),
    isHeavy: true,
    errors: ["STATE_NOT_FOUND"],
    cost: "call",
    handler: async ({ chain, heavy }, [address, block], deadline) => {
      const blockHash = requireHeader(chain, block).hash;
      const proof = await heavy.run("proof", { blockHash, address, keys: [] }, deadline);
      const { nonce, balance, codeHash, storageHash } = (
        proof instanceof JsonText ? proof.toJSON() : proof
      ) as AccountProof;
      return codeHash === ZERO_HASH ? null : { nonce, balance, codeHash, storageRoot: storageHash };
    },
  }),
];
