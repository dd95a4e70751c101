import type { JsonSchema } from "../params/param-type.js";
import { HEADER, OPTIONAL_OF_HEADER, RECEIPT } from "./chain-objects.js";
import {
  ADDRESS,
  arrayOf,
  BYTES,
  BYTES_32,
  COUNT,
  NULL,
  objectOf,
  orNull,
  QUANTITY,
  resource,
  TRUTH,
} from "./values.js";

const BLOCK = { ...HEADER, logsBloom: NULL, size: QUANTITY, uncles: arrayOf(BYTES_32), transactionCount: COUNT };

/** Objects of the methods for Otterscan. */
export const OTTERSCAN_OBJECTS = {
  BlockDetails: objectOf({
    block: objectOf(BLOCK, OPTIONAL_OF_HEADER),
    issuance: objectOf({ blockReward: QUANTITY, uncleReward: QUANTITY, issuance: QUANTITY }),
    totalFees: QUANTITY,
  }),
  BlockTransactions: objectOf({
    fullblock: objectOf({ ...BLOCK, transactions: arrayOf(resource("Transaction")) }, OPTIONAL_OF_HEADER),
    receipts: arrayOf(objectOf({ ...RECEIPT, logs: NULL, logsBloom: NULL })),
  }),
  AddressPage: objectOf(
    {
      txs: arrayOf(resource("Transaction")),
      receipts: arrayOf(objectOf({ ...RECEIPT, timestamp: { title: "seconds since 1970", ...COUNT } })),
      firstPage: { title: "whether the page has the newest transaction", ...TRUTH },
      lastPage: { title: "whether the page has the oldest transaction", ...TRUTH },
      unexecuted: {
        title: "blocks that were executed only if they changed the nonce or the balance of the account",
        ...objectOf({ fromBlock: QUANTITY, toBlock: QUANTITY }),
      },
    },
    ["unexecuted"],
  ),
  CallTreeEntry: objectOf({
    type: { enum: ["CALL", "CALLCODE", "DELEGATECALL", "STATICCALL", "CREATE", "CREATE2", "SELFDESTRUCT"] },
    depth: COUNT,
    from: ADDRESS,
    to: ADDRESS,
    value: orNull(QUANTITY),
    input: BYTES,
    output: BYTES,
  }),
  InternalOperation: objectOf({
    type: { title: "0 transfer, 1 self-destruct, 2 CREATE, 3 CREATE2", enum: [0, 1, 2, 3] },
    from: ADDRESS,
    to: ADDRESS,
    value: QUANTITY,
  }),
  ContractCreator: objectOf({ hash: BYTES_32, creator: ADDRESS }),
} satisfies Readonly<Record<string, JsonSchema>>;
