import { EMPTY_BYTES } from "@cambium/primitives";
import { echo, invalidParams, type RpcError } from "../errors.js";
import type { ParamType } from "../params/param-type.js";
import { ADDRESS, DATA, NUMBER, objectOf } from "../params/value-types.js";
import { callData } from "./call-object.js";

/** A transaction for the node to sign (`spec/09 §7.7`). */
export interface UnsignedTransaction {
  from: Uint8Array;
  /** Empty for a contract creation. */
  to: Uint8Array;
  /** Undefined: the default, or the gas that the transaction needs. */
  gas: bigint | undefined;
  /** Undefined: the default, or the suggested price. */
  gasPrice: bigint | undefined;
  value: bigint;
  data: Uint8Array;
  /** Nonce; undefined: the account's next one. */
  nonce: bigint | undefined;
  /** 0: the id of this network. */
  chainId: bigint;
}

/** Transaction type that each member requires. Legacy transactions do not have these members. */
const TYPE_OF_MEMBER: Readonly<Record<string, number>> = {
  maxFeePerGas: 2,
  maxPriorityFeePerGas: 2,
  maxFeePerBlobGas: 3,
  blobVersionedHashes: 3,
  blobs: 3,
  commitments: 3,
  proofs: 3,
  sidecars: 3,
  authorizationList: 4,
};

/** Accepted members, including both names of a member with an alias. */
const MEMBERS = ["from", "to", "gas", "gasLimit", "gasPrice", "value", "data", "input", "nonce", "chainId", "type"];

/**
 * Refuses members that a legacy transaction would lose: the node must sign exactly what the client requested. Throws
 * {@link RpcError} `INVALID_PARAMS`.
 */
function refuseOthers(members: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(members)) {
    if (MEMBERS.includes(name) || value === undefined || value === null) continue;
    if (name === "accessList") {
      if (Array.isArray(value) && value.length === 0) continue;
      throw typeUnsupported(1);
    }
    if (Object.hasOwn(TYPE_OF_MEMBER, name)) throw typeUnsupported(TYPE_OF_MEMBER[name]!, name);
    throw invalidParams(`unknown member ${echo(name)} of a transaction`);
  }
}

export const UNSIGNED_TRANSACTION: ParamType<UnsignedTransaction> = {
  name: "TRANSACTION",
  schema: {
    type: "object",
    required: ["from"],
    properties: Object.fromEntries(
      Object.entries({
        from: ADDRESS,
        to: ADDRESS,
        gas: NUMBER,
        gasPrice: NUMBER,
        value: NUMBER,
        data: DATA,
        nonce: NUMBER,
        chainId: NUMBER,
      }).map(([name, type]) => [name, type.schema]),
    ),
  },
  parse(value) {
    const members = objectOf(value);
    const read = <T>(name: string, type: ParamType<T>): T | undefined => {
      const member = members[name];
      return member === undefined || member === null ? undefined : type.parse(member);
    };
    const from = read("from", ADDRESS);
    if (from === undefined) throw invalidParams("from is null");
    const type = read("type", NUMBER) ?? 0n;
    if (type !== 0n) throw typeUnsupported(type);
    refuseOthers(members);
    const gasLimit = read("gasLimit", NUMBER);
    return {
      from,
      to: read("to", ADDRESS) ?? EMPTY_BYTES,
      gas: read("gas", NUMBER) ?? gasLimit,
      gasPrice: read("gasPrice", NUMBER),
      value: read("value", NUMBER) ?? 0n,
      data: callData(members),
      nonce: read("nonce", NUMBER),
      chainId: read("chainId", NUMBER) ?? 0n,
    };
  },
};

/** The error for a typed transaction (EIP-2718), which this chain does not have. */
export function typeUnsupported(type: bigint | number, member?: string): RpcError {
  const what = member === undefined ? `transaction type ${type}` : `${member} of transaction type ${type}`;
  return invalidParams(`${what} is not supported on this network; send a legacy transaction`);
}

/** Throws {@link RpcError} `INVALID_PARAMS` if the id belongs to another chain. */
export function checkChainId({ chainId }: Pick<UnsignedTransaction, "chainId">, own: number): void {
  if (chainId !== 0n && chainId !== BigInt(own)) throw invalidParams(`Invalid chainId: ${echo(String(chainId))}`);
}
