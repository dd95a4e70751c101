import { toData } from "@cambium/primitives";
import { buildTransaction } from "@cambium/types";
import { CALL_OBJECT, type CallObject } from "../calls/call-object.js";
import { checkChainId, typeUnsupported } from "../calls/transaction-request.js";
import type { MethodParts } from "../definition/method.js";
import { pendingTransactionObject, type TransactionObject } from "../objects/transaction.js";
import type { ParamType } from "../params/param-type.js";
import { NUMBER, objectOf } from "../params/value-types.js";

/** A transaction for a wallet to sign, with the members known so far. */
export interface FillableTransaction {
  call: CallObject;
  /** Undefined: filled in by the node. */
  nonce: bigint | undefined;
  gasPrice: bigint | undefined;
  /** 0: the id of this network. */
  chainId: bigint;
}

/** An unsigned transaction with all members. */
export interface FilledTransaction {
  raw: string;
  tx: TransactionObject;
}

/** Parameter with a call object that may also have the other members of a transaction. */
export const FILLABLE_TRANSACTION: ParamType<FillableTransaction> = {
  name: "FILLABLE",
  schema: CALL_OBJECT.schema,
  parse(value) {
    const call = CALL_OBJECT.parse(value);
    const members = objectOf(value);
    const read = (name: string) => {
      const member = members[name];
      return member === undefined || member === null ? undefined : NUMBER.parse(member);
    };
    const type = read("type") ?? 0n;
    if (type !== 0n) throw typeUnsupported(type);
    return { call, nonce: read("nonce"), gasPrice: read("gasPrice"), chainId: read("chainId") ?? 0n };
  },
};

/** Fills in the account's next nonce, the suggested gas price, and the gas that `estimateGas` resolves to. */
export async function fillTransaction(
  { chain, pool }: MethodParts,
  { call, nonce, gasPrice = pool.gasPrice(), chainId }: FillableTransaction,
  estimateGas: (call: CallObject) => Promise<bigint>,
): Promise<FilledTransaction> {
  checkChainId({ chainId }, chain.network.chainId);
  const { from, to, value, data, gas } = call;
  const transaction = buildTransaction({
    nonce: nonce ?? pool.pendingNonce(from),
    gasPrice: gasPrice || null,
    gasLimit: gas ?? (await estimateGas({ ...call, gasPrice })),
    to,
    value,
    data,
  });
  transaction.setSender(from);
  return { raw: toData(transaction.encoded), tx: pendingTransactionObject(transaction) };
}
