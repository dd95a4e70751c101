import { type NetworkConfig, type Rules, rulesAt } from "@cambium/config";
import type { HeaderFields } from "@cambium/types";

/** Minimum seconds after its parent at which a block before RSKIP-97 has the minimum difficulty. */
const RESET_AFTER = 600n;

/** Lower bound of the formula under these rules (`spec/02 §2`). */
function minimumDifficulty(network: NetworkConfig, rules: Rules): bigint {
  const { minimumDifficulty: standard, minimumDifficultyRskip290: raised } = network.consensus;
  return rules.rskip290 && raised !== undefined ? raised : standard;
}

/**
 * Required difficulty of a header (`spec/02 §4.1`). `uncleCount` is the header's field, not the length of its list. The
 * minimum applies only when the difficulty changes, so an unchanged difficulty can be below it.
 */
export function calcDifficulty(
  header: Pick<HeaderFields, "number" | "timestamp" | "uncleCount">,
  parent: Pick<HeaderFields, "timestamp" | "difficulty">,
  network: NetworkConfig,
): bigint {
  const { consensus, fork } = network;
  // A node alone mines the blocks of a fork.
  if (fork !== undefined && header.number > fork.number) return consensus.minimumDifficulty;
  const rules = rulesAt(network, header.number);
  const minimum = minimumDifficulty(network, rules);
  // 64-bit arithmetic can overflow on networks without timestamp rules.
  if (!rules.rskip97 && header.timestamp >= BigInt.asIntN(64, parent.timestamp + RESET_AFTER)) return minimum;
  const before = parent.difficulty ?? 0n;
  const delta = header.timestamp - parent.timestamp;
  if (delta < 0n) return before;
  // The reference multiplies in signed 32 bits: a huge uncle count overflows.
  const target = BigInt(Math.imul(1 + header.uncleCount, consensus.blockDuration));
  if (delta === target) return before;
  const step = before / (rules.rskip156 ? consensus.difficultyDivisorRskip156 : consensus.difficultyDivisor);
  const moved = delta < target ? before + step : before - step;
  return moved > minimum ? moved : minimum;
}
