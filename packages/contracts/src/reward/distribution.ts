import type { NativeCallContext } from "@cambium/state";
import type { BlockHeader } from "@cambium/types";
import { ancestorHeader } from "./ancestors.js";
import type { RewardCells } from "./cells.js";
import type { FederatorSource } from "./federator-source.js";
import { pay } from "./payment.js";
import { isSelectionRuleBroken, type Sibling, type SiblingFinder } from "./siblings.js";

/** Gas that a whole payout, and one federator's share, must be worth at the block's minimum gas price (RSKIP-85). */
export interface PayableGas {
  payOut: bigint;
  federator: bigint;
}

export const PAYABLE_GAS: PayableGas = { payOut: 200_000n, federator: 50_000n };

/** Dependencies of the distribution besides the call itself. */
export interface DistributionTools {
  siblings: SiblingFinder;
  federators: FederatorSource;
  payableGas: PayableGas;
}

/** Distributes the fees of the block that matures with the executing one: `spec/05 §6`. */
export class Distribution {
  private readonly maturedHeight: number;

  constructor(
    private readonly context: NativeCallContext,
    private readonly cells: RewardCells,
    private readonly tools: DistributionTools,
  ) {
    this.maturedHeight = context.block.number - context.network.reward.maturity;
  }

  /**
   * Steps 1 to 11. Throws {@link NativeContractError} `MISSING_ANCESTOR` if an ancestor is missing; earlier payments
   * stay.
   */
  run(): void {
    // A fork has collected the fees of its own blocks only.
    if (this.maturedHeight <= (this.context.network.fork?.number ?? 0)) return;
    const { context, cells } = this;
    const config = context.network.reward;
    const matured = ancestorHeader(context.block.ancestors, this.maturedHeight);
    const reward = cells.rewardBalance + matured.paidFees;
    cells.rewardBalance = reward;
    if (this.maturedHeight < config.syntheticSpan) return;

    const siblings = this.tools.siblings.find(context.block.ancestors, this.maturedHeight);
    // The flag takes effect one processed height later, and is set even if nothing is paid now.
    const wasBroken = cells.brokenSelectionRule;
    cells.brokenSelectionRule = siblings.length > 0 && isSelectionRuleBroken(matured, siblings);

    const synthetic = reward / BigInt(config.syntheticSpan);
    if (context.rules.rskip85 && synthetic < context.block.minimumGasPrice * this.tools.payableGas.payOut) return;
    cells.rewardBalance = reward - synthetic;
    this.payOut(matured, synthetic, siblings, wasBroken);
  }

  /** Steps 9 to 11: fund, federation, then miners. */
  private payOut(matured: BlockHeader, synthetic: bigint, siblings: readonly Sibling[], punished: boolean): void {
    const config = this.context.network.reward;
    const toFund = synthetic / config.fundDivisor;
    const fund = this.context.rules.rskip218 ? config.fundAddressRskip218 : config.fundAddress;
    this.pay(matured, toFund, fund);
    const afterFund = synthetic - toFund;
    const forMiners = afterFund - this.payFederation(matured, afterFund);
    if (siblings.length > 0) this.payWithSiblings(matured, forMiners, siblings, punished);
    else this.payMiner(matured, forMiners, punished);
  }

  /**
   * Pays or accumulates the federation's share (`spec/05 §7.1`). Returns this block's share, which differs from the
   * payment if earlier shares were accumulated.
   */
  private payFederation(matured: BlockHeader, synthetic: bigint): bigint {
    const { context, cells } = this;
    const share = synthetic / context.network.reward.federationDivisor;
    const total = cells.federationBalance + share;
    const addresses = this.tools.federators.at(context.state, this.maturedHeight, context.rules);
    const count = BigInt(addresses.length);
    const each = total / count;
    if (context.rules.rskip85) {
      const tooLittle = each < context.block.minimumGasPrice * this.tools.payableGas.federator;
      cells.federationBalance = tooLittle ? total : 0n;
      if (tooLittle) return share;
    }
    const last = addresses.length - 1;
    addresses.forEach((address, index) => {
      this.pay(matured, index === last ? each + (total % count) : each, address);
    });
    return share;
  }

  private payMiner(matured: BlockHeader, reward: bigint, punished: boolean): void {
    const punishment = punished ? reward / this.context.network.reward.punishmentDivisor : 0n;
    if (punished) this.burn(punishment);
    this.pay(matured, reward - punishment, matured.coinbase);
  }

  /** Pays publishers, then siblings, and the main miner last: `spec/05 §6.1`. */
  private payWithSiblings(matured: BlockHeader, full: bigint, siblings: readonly Sibling[], punished: boolean): void {
    const config = this.context.network.reward;
    const count = BigInt(siblings.length);
    const publishers = full / config.publishersDivisor;
    const miners = full - publishers;
    const perPublisher = publishers / count;
    const unpunished = miners / (count + 1n);
    const punishment = punished ? unpunished / config.punishmentDivisor : 0n;
    const perMiner = unpunished - punishment;

    for (const sibling of siblings) this.pay(matured, perPublisher, sibling.includingCoinbase);
    this.burn((publishers % count) + (miners % (count + 1n)));
    for (const sibling of siblings) {
      const late = BigInt(sibling.includingHeight - this.maturedHeight - 1);
      // The multiplication comes first, on the amount after the first punishment.
      const latePunishment = (perMiner * late) / config.lateInclusionDivisor;
      this.pay(matured, perMiner - latePunishment, sibling.header.coinbase);
      this.burn(latePunishment);
    }
    if (punished) this.burn(punishment * (count + 1n));
    this.pay(matured, perMiner, matured.coinbase);
  }

  private pay(matured: BlockHeader, amount: bigint, payee: Uint8Array): void {
    pay(this.context, matured.hash, amount, payee);
  }

  private burn(amount: bigint): void {
    this.cells.burnedBalance += amount;
  }
}
