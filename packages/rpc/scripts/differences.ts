/**
 * How answers differ from what the specification `ethereum/execution-apis` says of them: subject, difference, reason.
 */
const DIFFERENCES: readonly (readonly [subject: string, difference: string, reason: string])[] = [
  [
    "`eth_baseFee`, `eth_blobBaseFee`",
    "not served",
    "the chain has neither base fees nor blobs; `eth_feeHistory` has an empty list of base fees",
  ],
  ["`eth_getBlockAccessList`, `debug_getRawBlockAccessList`", "not served", "blocks have no access lists"],
  ["`eth_capabilities`", "not served", "it describes the history that Ethereum's nodes keep"],
  [
    "`eth_config`",
    "heights instead of times, and no schedule of blobs",
    "upgrades of this chain activate at heights (see [client-tools.md](client-tools.md#facts-for-clients-eth_config))",
  ],
  ["`debug_getBadBlocks`, `testing_…`", "not served", "invalid blocks are not kept; tests use `evm_mine`"],
  [
    "typed transactions",
    "refused with -32602",
    "the chain has legacy transactions only; fee, blob and authorization members of calls are ignored",
  ],
  ["blocks by `pending`", "`hash` and `nonce` are null", "a block that is not mined has none (`spec/09 §6.1`)"],
  ["`safe`, `finalized`", "depths of 100 and 500 blocks", "no block of a proof-of-work chain is final"],
  ["`txpool_status`", "JSON numbers", "so it is on the deployed network"],
  [
    "`eth_call`, `eth_estimateGas`",
    "a revert has code -32015, unless `--rpc.compatibility development` asks for 3",
    "so it is on the deployed network; `data` has the payload, too",
  ],
  ["unknown blocks of a state", "code -32600", "so it is on the deployed network"],
  ["block numbers and hashes", "also accepted as decimal digits, and without `0x`", "so it is on the deployed network"],
  [
    "`debug_trace…` of unknown blocks and transactions, and of genesis",
    "null, or no traces",
    "so it is on the deployed network",
  ],
  ["`eth_getLogs` beyond the best block", "an empty list", "the API document has no error for it"],
  [
    "`eth_call`, `eth_estimateGas`, `eth_createAccessList`",
    "an error if the sender lacks the value",
    "so it is on the deployed network; state overrides can give it a balance",
  ],
  [
    "`eth_getLogs`, `eth_getFilterChanges`: empty lists",
    "match several alternatives of the schema, which allows one",
    "any empty list does",
  ],
  [
    "`eth_simulateV1`: failures",
    "messages name the failure, for example `out of gas`, without `vm execution error`",
    "go-ethereum's answers, which the tests of execution-apis record, are the same",
  ],
  [
    "`eth_simulateV1`: fees under validation",
    "the minimum gas price instead of a base fee (-38012)",
    "the chain has no base fee",
  ],
  [
    "`eth_simulateV1`, `eth_call`: overrides",
    "precompiled contracts cannot be replaced or moved; `prevRandao`, `blobBaseFee` and withdrawals are refused",
    "the deployed client refuses the former; nothing on this chain corresponds to the latter",
  ],
];

/** The section of the page that lists them. */
export function differencesSection(): string[] {
  return [
    "## Differences from execution-apis",
    "",
    "Asked for what its tests record, the node gave results that are otherwise valid by the schemas of [ethereum/execution-apis](https://github.com/ethereum/execution-apis).",
    "",
    "| Subject | Difference | Reason |",
    "|---|---|---|",
    ...DIFFERENCES.map((row) => `| ${row.join(" | ")} |`),
    "",
  ];
}
