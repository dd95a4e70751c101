import { calcDifficulty, gasLimitRange, minimumGasPriceRange } from "@cambium/chain";
import { GAS_LIMIT_DIVISOR, MIN_GAS_LIMIT, NETWORKS, type NetworkConfig, rulesAt } from "@cambium/config";
import { bigintToBytes, EMPTY_BYTES, EMPTY_TRIE_ROOT, toHex } from "@cambium/primitives";
import { BlockHeader, type HeaderFields } from "@cambium/types";

/** A case of `test/vectors/header-rules`, without the verdict. */
export interface HeaderRuleCase {
  network: "main" | "testnet" | "regtest";
  rule: string;
  header: string;
  parent: string;
  now: number;
  /** Keys of fallback miners: for even numbers, for odd ones. */
  keys?: string[];
}

const CONFIGS: Record<HeaderRuleCase["network"], NetworkConfig> = {
  main: NETWORKS.main,
  testnet: NETWORKS.test,
  regtest: NETWORKS.local,
};
/** Time of the parent. */
const TIME = 1_600_000_000n;
/** Local time of the node. */
export const NOW = Number(TIME) + 100;
const HASH = new Uint8Array(32).fill(7);
const TIME_OFFSET = 68;

/** The first heights of the rules that headers depend on, and the heights before them. */
function heights(network: NetworkConfig): number[] {
  const names = ["rskip97", "rskip156", "rskip179", "rskip290", "rskip297"] as const;
  const starts = names.flatMap((name) => {
    for (let low = 1, high = 10_000_000; ; ) {
      if (rulesAt(network, low)[name] || !rulesAt(network, high)[name]) return [];
      if (high === low + 1) return [high];
      const middle = Math.floor((low + high) / 2);
      if (rulesAt(network, middle)[name]) high = middle;
      else low = middle;
    }
  });
  return [...new Set([2, ...starts.flatMap((start) => [start - 1, start]), 10_000_000])].sort((a, b) => a - b);
}

export function headerAt(network: NetworkConfig, number: number, changes: Partial<HeaderFields>): BlockHeader {
  const rules = rulesAt(network, number);
  const version = rules.rskip351 ? (rules.rskip535 ? 2 : 1) : 0;
  const fields: HeaderFields = {
    parentHash: HASH,
    unclesHash: HASH,
    coinbase: new Uint8Array(20).fill(7),
    stateRoot: HASH,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: HASH,
    logsBloom: new Uint8Array(256),
    difficulty: 10n ** 18n,
    number,
    gasLimit: bigintToBytes(6_800_000n),
    gasUsed: 0,
    timestamp: TIME,
    extraData: EMPTY_BYTES,
    paidFees: 0n,
    minimumGasPrice: 0n,
    uncleCount: 0,
    ummRoot: rules.rskipUmm ? EMPTY_BYTES : null,
    version,
    executionEdges: rules.rskip144 ? [] : null,
    baseEvent: version === 2 ? EMPTY_BYTES : null,
    parentChainHeader: parentChainHeader(TIME),
    merkleProof: HASH,
    parentChainCoinbase: HASH,
    ...changes,
  };
  return BlockHeader.create(fields, network);
}

function parentChainHeader(time: bigint): Uint8Array {
  const bytes = new Uint8Array(80).fill(1);
  new DataView(bytes.buffer).setUint32(TIME_OFFSET, Number(time), true);
  return bytes;
}

type Pair = readonly [rule: string, header: Partial<HeaderFields>, parent?: Partial<HeaderFields>];

/** Both sides of each limit, for every rule about a header that has no proof of work. */
export function* headerRuleCases(): Iterable<HeaderRuleCase> {
  for (const [name, network] of Object.entries(CONFIGS) as [HeaderRuleCase["network"], NetworkConfig][]) {
    for (const number of heights(network)) {
      for (const [rule, header, parent = {}] of pairs(network, number)) {
        const child = headerAt(network, number, header);
        const before = headerAt(network, number - 1, parent);
        const encoded = [child, before].map((one) => toHex(one.encode("full")));
        yield { network: name, rule, header: encoded[0]!, parent: encoded[1]!, now: NOW };
      }
    }
  }
}

function* pairs(network: NetworkConfig, number: number): Iterable<Pair> {
  yield* timestamps(network);
  yield* difficulties(network, number);
  for (const limit of [1n, 1023n, GAS_LIMIT_DIVISOR, 1025n, MIN_GAS_LIMIT, 6_800_000n, 10_000_001n, 2n ** 63n]) {
    const { lowest, highest } = gasLimitRange(limit);
    for (const actual of around(lowest, highest).filter((one) => one > 0n)) {
      yield ["gasLimitStep", { gasLimit: bigintToBytes(actual) }, { gasLimit: bigintToBytes(limit) }];
    }
  }
  for (const actual of around(MIN_GAS_LIMIT)) yield ["gasLimitMinimum", { gasLimit: bigintToBytes(actual) }];
  for (const price of [0n, 1n, 99n, 100n, 101n, 199n, 200n, 59_240_000n, 10n ** 24n + 99n]) {
    const { lowest, highest } = minimumGasPriceRange(price);
    for (const actual of [...around(lowest, highest), -1n]) {
      yield ["minimumGasPriceStep", { minimumGasPrice: actual }, { minimumGasPrice: price }];
    }
    yield ["minimumGasPriceStep", { minimumGasPrice: null }, { minimumGasPrice: price }];
  }
  for (const parent of [number - 2, number - 1, number]) yield ["parentNumber", {}, { number: Math.max(0, parent) }];
  for (const length of [0, 31, 32, 33]) yield ["extraDataSize", { extraData: new Uint8Array(length) }];
}

function* timestamps({ consensus }: NetworkConfig): Iterable<Pair> {
  const { validPeriod, parentChainTimeWindow, parentChainTimeWindowRskip297 = 7200 } = consensus;
  const latest = BigInt(NOW + validPeriod);
  for (const timestamp of around(latest, BigInt(NOW))) {
    yield ["timestamp", { timestamp, parentChainHeader: parentChainHeader(timestamp) }];
    yield ["relayedTimestamp", { timestamp, parentChainHeader: parentChainHeader(timestamp) }];
  }
  for (const window of [parentChainTimeWindow, parentChainTimeWindowRskip297].map(BigInt)) {
    for (const distance of around(-window, 0n, window)) {
      yield ["timestamp", { parentChainHeader: parentChainHeader(TIME + distance) }];
    }
  }
  // The time is an unsigned number.
  yield ["timestamp", { timestamp: 1n, parentChainHeader: parentChainHeader(2n ** 32n - 1n) }];
  yield ["timestamp", { parentChainHeader: null, merkleProof: null, parentChainCoinbase: null }];
  for (const timestamp of around(TIME)) yield ["relayedTimestamp", { timestamp }];
}

function* difficulties(network: NetworkConfig, number: number): Iterable<Pair> {
  const { minimumDifficulty, minimumDifficultyRskip290 = 1n, blockDuration } = network.consensus;
  const befores = new Set([0n, 399n, minimumDifficulty, minimumDifficultyRskip290, 10n ** 18n]);
  // With the last one, the target is negative in 32 bits.
  for (const uncleCount of [0, 1, 153_391_689]) {
    const target = BigInt(Math.imul(1 + uncleCount, blockDuration));
    for (const delta of new Set([-1n, 0n, ...around(target, 600n)])) {
      if (TIME + delta < 0n) continue;
      for (const before of befores) {
        const timestamp = TIME + delta;
        const required = calcDifficulty(
          { number, timestamp, uncleCount },
          { timestamp: TIME, difficulty: before },
          network,
        );
        // A wrong value in the same place: cases of which all are valid would show little.
        const difficulty = (delta + before + BigInt(uncleCount)) % 3n === 0n ? required + 1n : required;
        yield ["difficulty", { timestamp, uncleCount, difficulty }, { difficulty: before }];
      }
    }
  }
}

function around(...values: bigint[]): bigint[] {
  return [...new Set(values.flatMap((value) => [value - 1n, value, value + 1n]))];
}
