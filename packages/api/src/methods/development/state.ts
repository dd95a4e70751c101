import { bigintToBytes, bigintToFixedBytes, bytesToBigint, toData } from "@cambium/primitives";
import { defineMethod, type MethodDefinition, type MethodParts, required } from "../../definition/method.js";
import { echo, invalidParams } from "../../errors.js";
import { mining } from "../../objects/mining-answers.js";
import type { ParamType } from "../../params/param-type.js";
import { ADDRESS, DATA, NUMBER } from "../../params/value-types.js";
import { BYTES, TRUTH } from "../../schemas/values.js";
import { dumpState, editsOfDump } from "./state-dump.js";
import { DONE, underNames } from "./tool-names.js";

/** Maximum size of the code that an account may get, in bytes; the rules allow less for transactions. */
const MAX_CODE = 262_144;
const MAX_NONCE = 2n ** 64n - 1n;

const CODE: ParamType<Uint8Array> = {
  ...DATA,
  name: "CODE",
  parse(value) {
    const code = DATA.parse(value);
    if (code.length > MAX_CODE)
      throw invalidParams(`Code of ${code.length} bytes is too long, at most ${MAX_CODE} are allowed`);
    return code;
  },
};

const NONCE: ParamType<bigint> = {
  ...NUMBER,
  name: "NONCE",
  parse(value) {
    const nonce = NUMBER.parse(value);
    if (nonce > MAX_NONCE) throw invalidParams(`invalid nonce ${echo(value)}`);
    return nonce;
  },
};

/** A storage word: 32 bytes. Anvil's tools write fewer for numbers, which Hardhat refuses. */
const WORD: ParamType<Uint8Array> = {
  ...DATA,
  name: "WORD",
  parse(value) {
    const bytes = DATA.parse(value);
    if (bytes.length > 32) throw invalidParams("Storage value must be at most 32 bytes long");
    return bytes;
  },
};

async function edit(parts: MethodParts, change: Parameters<Editor>[0][number]): Promise<true> {
  await mining(() => parts.localMiner!.editState([change]));
  return true;
}

type Editor = NonNullable<MethodParts["localMiner"]>["editState"];

function nonceOf({ chain }: MethodParts, address: Uint8Array): bigint {
  return chain.stateAfter(chain.best().hash)!.getNonce(address);
}

/** Methods that change the state, by an additional block (`docs/local-network.md`). */
export const STATE_EDITING_METHODS: readonly MethodDefinition[] = [
  ...underNames(
    defineMethod({
      name: "hardhat_setBalance",
      summary: "Sets the balance of an account in wei",
      params: [required("address", ADDRESS), required("balance", NUMBER)],
      needs: "localMiner",
      isUntimed: true,
      result: DONE,
      example: "written",
      handler: (parts, [address, balance]) => edit(parts, { address, kind: "balance", balance }),
    }),
    "anvil_setBalance",
  ),
  ...underNames(
    defineMethod({
      name: "hardhat_setCode",
      summary: "Sets the code of an account; no bytes remove it",
      params: [required("address", ADDRESS), required("code", CODE)],
      needs: "localMiner",
      isUntimed: true,
      result: DONE,
      example: "written",
      handler: (parts, [address, code]) => edit(parts, { address, kind: "code", code }),
    }),
    "anvil_setCode",
  ),
  defineMethod({
    name: "hardhat_setNonce",
    summary: "Sets the nonce of an account to one that is not smaller",
    params: [required("address", ADDRESS), required("nonce", NONCE)],
    needs: "localMiner",
    isUntimed: true,
    result: DONE,
    example: "written",
    handler: (parts, [address, nonce]) => {
      const present = nonceOf(parts, address);
      if (nonce < present) {
        throw invalidParams(`New nonce (${nonce}) must not be smaller than the existing nonce (${present})`);
      }
      return edit(parts, { address, kind: "nonce", nonce });
    },
  }),
  ...underNames(
    defineMethod({
      name: "evm_setAccountNonce",
      summary: "Sets the nonce of an account, also to a smaller one",
      params: [required("address", ADDRESS), required("nonce", NONCE)],
      needs: "localMiner",
      isUntimed: true,
      result: DONE,
      example: "written",
      handler: (parts, [address, nonce]) => edit(parts, { address, kind: "nonce", nonce }),
    }),
    "anvil_setNonce",
  ),
  ...underNames(
    defineMethod({
      name: "hardhat_setStorageAt",
      summary: "Sets a storage cell of an account, which need not have code",
      params: [required("address", ADDRESS), required("slot", NUMBER), required("value", WORD)],
      needs: "localMiner",
      isUntimed: true,
      result: TRUTH,
      example: "written",
      handler: (parts, [address, slot, word]) => {
        const value = bigintToBytes(bytesToBigint(word));
        return edit(parts, { address, kind: "cell", key: bigintToFixedBytes(slot, 32), value });
      },
    }),
    "anvil_setStorageAt",
  ),
  ...underNames(
    defineMethod({
      name: "anvil_dumpState",
      summary: "All accounts of the best block as compressed JSON, for `anvil_loadState`",
      params: [],
      needs: "localMiner",
      isUntimed: true,
      result: BYTES,
      errors: ["SERVER_ERROR"],
      example: "written",
      handler: async ({ chain }) => toData(await dumpState(chain)),
    }),
    "hardhat_dumpState",
  ),
  ...underNames(
    defineMethod({
      name: "anvil_loadState",
      summary: "Replaces the accounts that a state contains, of `anvil_dumpState` or of Anvil; all others stay",
      params: [required("state", DATA)],
      needs: "localMiner",
      isUntimed: true,
      result: TRUTH,
      example: "written",
      handler: async ({ localMiner }, [state]) => {
        const edits = await editsOfDump(state);
        await mining(() => localMiner!.editState(edits));
        return true;
      },
    }),
    "hardhat_loadState",
  ),
];
