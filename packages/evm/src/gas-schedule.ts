import type { RuleName, Rules } from "@cambium/config";

/** Prices and refunds at genesis, in gas. A name that ends in a unit (`copyWord`) is the price per unit. */
const GENESIS = {
  // Classes of opcodes with the same constant price (spec/04 §3.2)
  zero: 0,
  base: 2,
  veryLow: 3,
  low: 5,
  mid: 8,
  high: 10,
  // Constant prices of other opcodes. The step table requires less than 1024.
  jumpDestination: 1,
  exponent: 10,
  blockHash: 20,
  keccak: 30,
  transientCell: 100,
  loadCell: 200,
  balance: 400,
  codeHash: 400,
  foreignCode: 700,
  // Other parts of opcodes, and memory (spec/04 §3.2, §3.3)
  exponentByte: 50,
  keccakWord: 6,
  copyWord: 3,
  log: 375,
  logTopic: 375,
  logByte: 8,
  memoryWord: 3,
  /** Divides the square of the words. */
  memoryDivisor: 512,
  // SSTORE (spec/04 §3.4)
  setCell: 20_000,
  changeCell: 5_000,
  clearCellRefund: 15_000,
  // Accesses (spec/04 §3.8)
  warm: 0,
  coldCell: 0,
  coldAccount: 0,
  // Calls, creation, self-destruct (spec/04 §4)
  call: 700,
  callValue: 9_000,
  stipend: 2_300,
  newAccount: 25_000,
  create: 32_000,
  initCodeWord: 0,
  codeByte: 200,
  selfDestruct: 5_000,
  selfDestructRefund: 24_000,
  // Transactions (spec/04 §2.2, §2.5)
  transaction: 21_000,
  creation: 53_000,
  dataZeroByte: 4,
  dataByte: 68,
  /** The refund is at most the gas used divided by this. */
  refundDivisor: 2,
  // Precompiled contracts (spec/04 §6)
  ecrecover: 3_000,
  sha256: 60,
  sha256Word: 12,
  ripemd160: 600,
  ripemd160Word: 120,
  identity: 15,
  identityWord: 3,
  modexpDivisor: 20,
  bn128Add: 150,
  bn128Multiply: 6_000,
  bn128Pairing: 45_000,
  bn128Pair: 34_000,
  blake2fRound: 1,
  secp256k1Add: 150,
  secp256k1Multiply: 3_000,
};

export type CostName = keyof typeof GENESIS;

/** Costs under a set of rules. */
export type GasSchedule = Readonly<Record<CostName, number>>;

/** Costs that rules change, in order: a later entry overrides earlier ones. */
export const COST_CHANGES: readonly { rule: RuleName; costs: Partial<GasSchedule> }[] = [
  { rule: "rskip400", costs: { dataByte: 16 } },
  { rule: "rskip438", costs: { initCodeWord: 2 } },
  { rule: "rskip555", costs: { warm: 100, coldCell: 2_100, coldAccount: 2_600, changeCell: 2_900 } },
  { rule: "rskip555", costs: { loadCell: 100, balance: 100, codeHash: 100, foreignCode: 100, call: 100 } },
];

const schedules = new WeakMap<Rules, GasSchedule>();

/** The schedule of an era, built once per rules object. */
export function gasSchedule(rules: Rules): GasSchedule {
  let schedule = schedules.get(rules);
  if (schedule === undefined) schedules.set(rules, (schedule = buildSchedule(rules)));
  return schedule;
}

function buildSchedule(rules: Rules): GasSchedule {
  const schedule = { ...GENESIS };
  for (const { rule, costs } of COST_CHANGES) if (rules[rule]) Object.assign(schedule, costs);
  return schedule;
}
