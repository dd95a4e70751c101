import type { AbiArray } from "@cambium/primitives";
import { type Implementations, toInt32 } from "./abi/implementation.js";
import { registerTransaction } from "./peg-in/register.js";
import { registerFlyover } from "./peg-in/register-flyover.js";
import { addSignature } from "./peg-out/add-signature.js";
import { requestPegOut } from "./peg-out/request.js";
import { updateCollections } from "./peg-out/update-collections.js";

/** Methods of the peg itself: peg-ins, peg-outs and migrations (`spec/06b-3`). */
export const pegMethods: Implementations = {
  "registerBtcTransaction(bytes,int256,bytes)": (session, [raw, height, tree]) =>
    registerTransaction(session, raw as Uint8Array, toInt32(height!), tree as Uint8Array),
  "releaseBtc()": requestPegOut,
  "updateCollections()": updateCollections,
  "addSignature(bytes,bytes[],bytes)": (session, [key, signatures, hash]) =>
    addSignature(session, key as Uint8Array, signatures as AbiArray, hash as Uint8Array),
  "registerFastBridgeBtcTransaction(bytes,uint256,bytes,bytes32,bytes,address,bytes,bool)": registerFlyover,
};
