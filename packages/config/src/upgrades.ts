// Rule heights by network upgrade: spec/02 §1.2 and §1.3.

export const UPGRADES = [
  "bahamas",
  "afterBridgeSync",
  "orchid",
  "orchid060",
  "wasabi100",
  "twoToThree",
  "papyrus200",
  "iris300",
  "hop400",
  "hop401",
  "fingerroot500",
  "arrowhead600",
  "arrowhead631",
  "lovell700",
  "reed800",
  "reed810",
  "vetiver900",
  "cardamom1000",
] as const;

export type UpgradeName = (typeof UPGRADES)[number];

/** Height of each upgrade; -1 means never. */
export type UpgradeHeights = Readonly<Record<UpgradeName, number>>;

/**
 * The upgrade that activates a rule, or the rule's own height (-1 means never). Each comment names the rule's subject.
 */
export const DEFAULT_RULES = {
  /** bridge transactions from federators pay gas; free before */
  areBridgeTxsPaid: "afterBridgeSync",
  /** reward-contract changes; also an ineffective gate of the state-root check (`spec/02 §3.9`) */
  rskip85: "orchid",
  /** bridge whitelisting, unlimited mode */
  rskip87: "orchid",
  /** bridge methods: local-call restrictions */
  rskip88: "orchid",
  /** bridge: parent-chain block query methods */
  rskip89: "orchid",
  /** code size of native contracts */
  rskip90: "orchid",
  /** STATICCALL */
  rskip91: "orchid",
  /** Merkle-proof format; block-hash preimage */
  rskip92: "orchid",
  /** removes the 10-minute difficulty reset */
  rskip97: "orchid",
  /** fallback (signed) mining off; 80-byte parent header mandatory */
  rskip98: "orchid",
  /** CALL value semantics in static/delegate context */
  rskip103: "orchid060",
  /** HD-wallet utilities precompile */
  rskip106: "wasabi100",
  /** fork-detection data */
  rskip110: "wasabi100",
  /** block-header precompile */
  rskip119: "wasabi100",
  /** SHL/SHR/SAR */
  rskip120: "wasabi100",
  /** bridge: getBtcTransactionConfirmations */
  rskip122: "wasabi100",
  /** multi-key federation members */
  rskip123: "wasabi100",
  /** bridge call-handling changes */
  rskip124: "wasabi100",
  /** CREATE2 */
  rskip125: "wasabi100",
  /** Unitrie for state, tx and receipt tries; state root enforced */
  rskip126: "wasabi100",
  /** bridge receiveHeaders cost */
  rskip132: "wasabi100",
  /** bridge locking cap */
  rskip134: "papyrus200",
  /** gas-arithmetic corrections in the tx executor */
  rskip136: "bahamas",
  /** alt-bn128 precompiles */
  rskip137: "papyrus200",
  /** EXTCODEHASH */
  rskip140: "papyrus200",
  /** bridge: P2SH-P2WPKH peg-ins */
  rskip143: "papyrus200",
  /** parallel transaction execution */
  rskip144: "reed810",
  /** bridge events format */
  rskip146: "papyrus200",
  /** call/return-data changes */
  rskip150: "twoToThree",
  /** SELFBALANCE */
  rskip151: "papyrus200",
  /** CHAINID */
  rskip152: "papyrus200",
  /** difficulty divisor 50 → 400 */
  rskip156: "papyrus200",
  /** `ummRoot` header field */
  rskipUmm: "papyrus200",
  /** BLAKE2F */
  rskip153: "iris300",
  /** EXTCODEHASH fix */
  rskip169: "iris300",
  /** peg-in to any address */
  rskip170: "iris300",
  /** return-buffer clearing */
  rskip171: "iris300",
  /** keep balance on contract creation */
  rskip174: "iris300",
  /** flyover peg-in */
  rskip176: "iris300",
  /** timestamp linked to the parent-chain header */
  rskip179: "iris300",
  /** Merkle-proof size limit */
  rskip180: "iris300",
  /** peg-in rejection events */
  rskip181: "iris300",
  /** peg-out refund and events */
  rskip185: "iris300",
  /** federation creation height registration */
  rskip186: "iris300",
  /** removes opcodes */
  rskip191: "iris300",
  /** precompile error semantics */
  rskip197: "iris300",
  /** registerBtcTransaction public */
  rskip199: "iris300",
  /** receiveHeaders limits */
  rskip200: "iris300",
  /** ERP multisig */
  rskip201: "iris300",
  /** call-stack-depth (environment) precompile */
  rskip203: "arrowhead600",
  /** new reward address */
  rskip218: "iris300",
  /** new peg minimums */
  rskip219: "iris300",
  /** parent-chain block info from bridge */
  rskip220: "iris300",
  /** transaction gas-price cap */
  rskip252: "fingerroot500",
  /** peg-out batching */
  rskip271: "hop400",
  /** flyover address deserialization */
  rskip284: "hop400",
  /** test-network minimum difficulty */
  rskip290: "hop400",
  /** flyover improvements */
  rskip293: "hop400",
  /** migration tx input limit */
  rskip294: "hop400",
  /** wider timestamp link on test networks */
  rskip297: "hop400",
  /** segwit peg-outs */
  rskip305: "reed800",
  /** release_request event */
  rskip326: "fingerroot500",
  /** header versions 1/2, compressed headers */
  rskip351: "reed810",
  /** redeem-script standardness */
  rskip353: "hop401",
  /** migration confirmations */
  rskip357: "hop401",
  /** migration confirmations */
  rskip374: "fingerroot500",
  /** peg-out key */
  rskip375: "fingerroot500",
  /** migration tx version 2 */
  rskip376: "arrowhead600",
  /** last retired federation script */
  rskip377: "fingerroot500",
  /** size limit of peg-outs and migrations by virtual size */
  rskip378: "cardamom1000",
  /** peg-out/migration tx index */
  rskip379: "arrowhead600",
  /** federation activation age */
  rskip383: "fingerroot500",
  /** fee estimation */
  rskip385: "fingerroot500",
  /** PUSH0 */
  rskip398: "arrowhead600",
  /** calldata gas */
  rskip400: "arrowhead600",
  /** BASEFEE */
  rskip412: "arrowhead600",
  /** pegnatory address derivation */
  rskip415: "arrowhead600",
  /** bridge empty-response calls */
  rskip417: "arrowhead600",
  /** powpeg spendability validation */
  rskip419: "lovell700",
  /** peg-out event amounts */
  rskip427: "lovell700",
  /** peg-out creation event */
  rskip428: "lovell700",
  /** parent-chain chainwork 12 bytes */
  rskip434: "arrowhead631",
  /** init-code limit */
  rskip438: "lovell700",
  /** MCOPY */
  rskip445: "lovell700",
  /** transient storage */
  rskip446: "lovell700",
  /** no address creation on failed CREATE */
  rskip453: "lovell700",
  /** parent-chain chainwork 32 bytes */
  rskip454: "lovell700",
  /** migrations with several outputs (for cardamom1000; not merged in the deployed client yet) */
  rskip455: -1,
  /** rejected peg-ins processed */
  rskip459: "lovell700",
  /** witness-commitment search */
  rskip460: "lovell700",
  /** union bridge */
  rskip502: "reed810",
  /** secp256k1 add/mul precompiles */
  rskip516: "reed800",
  /** base/super event cells */
  rskip529: "reed810",
  /** `baseEvent` in header extension (version 2) */
  rskip535: -1,
  /** more block-header precompile methods */
  rskip536: "reed810",
  /** peg-out fee estimation */
  rskip540: "vetiver900",
  /** reject 0xEF code */
  rskip544: "vetiver900",
  /** disables RSKIP-459 */
  rskip551: "vetiver900",
  /** BLAKE2F input handling */
  rskip552: "vetiver900",
  /** gas of cold and warm accesses, net gas of SSTORE (a draft) */
  rskip555: -1,
  /** deterministic peg-out sorting */
  rskip559: "cardamom1000",
} as const satisfies Readonly<Record<string, UpgradeName | number>>;

/** `rskip126`, …; `rskipUmm` is RSKIP-177 (`ummRoot`), and `areBridgeTxsPaid` has no number. */
export type RuleName = keyof typeof DEFAULT_RULES;

export const RULE_NAMES = Object.keys(DEFAULT_RULES) as RuleName[];
