import { allNativeContracts } from "@cambium/chain";
import { rulesAt } from "@cambium/config";
import type { TracedStep, Tracer, TransactionOutcome } from "@cambium/evm";
import { bigintToFixedBytes, toData, toHex, toQuantity } from "@cambium/primitives";
import type { SimulationChain } from "../calls/simulation.js";
import { failureReason } from "../calls/simulation-failure.js";
import { executeOpened, openCall, type UnsignedRequest } from "../calls/unsigned-transaction.js";
import type { ApiConfig } from "../config.js";
import { AnswerBudget } from "./tracers/answer-budget.js";

/** Result of `eth_createAccessList`. */
export interface AccessListResult {
  accessList: { address: string; storageKeys: string[] }[];
  gasUsed: string;
  /** Why the execution failed; absent if it succeeded. */
  error?: string;
}

/** Opcodes whose top item is an address: BALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH, SELFDESTRUCT. */
const ADDRESS_ON_TOP: ReadonlySet<number> = new Set([0x31, 0x3b, 0x3c, 0x3f, 0xff]);
/** Opcodes whose second item is an address: CALL, CALLCODE, DELEGATECALL, STATICCALL. */
const ADDRESS_BELOW: ReadonlySet<number> = new Set([0xf1, 0xf2, 0xf4, 0xfa]);
const SLOAD = 0x54;
const SSTORE = 0x55;
const ENTRY_BYTES = 80;

/** Collects the accounts and cells that code accesses, as go-ethereum does for access lists. */
class AccessTracer implements Tracer {
  /** Slots by account (hex). */
  readonly accesses = new Map<string, Set<bigint>>();

  /** Accounts in `omitted` (hex) are listed only if their cells are accessed. */
  constructor(
    private readonly omitted: ReadonlySet<string>,
    private readonly budget: AnswerBudget,
  ) {}

  step(step: TracedStep): void {
    const { op } = step;
    if (op === SLOAD || op === SSTORE) this.addCell(toHex(step.address), step.stack().at(-1));
    else if (ADDRESS_ON_TOP.has(op)) this.addAccount(step.stack().at(-1));
    else if (ADDRESS_BELOW.has(op)) this.addAccount(step.stack().at(-2));
  }

  private addAccount(item: bigint | undefined): void {
    if (item === undefined) return;
    const address = toHex(bigintToFixedBytes(BigInt.asUintN(160, item), 20));
    if (!this.omitted.has(address)) this.cellsOf(address);
  }

  private addCell(address: string, slot: bigint | undefined): void {
    if (slot === undefined) return;
    const cells = this.cellsOf(address);
    if (cells.has(slot)) return;
    this.budget.spend(ENTRY_BYTES);
    cells.add(slot);
  }

  private cellsOf(address: string): Set<bigint> {
    let cells = this.accesses.get(address);
    if (cells === undefined) {
      this.budget.spend(ENTRY_BYTES);
      cells = new Set();
      this.accesses.set(address, cells);
    }
    return cells;
  }
}

/**
 * Accounts and cells that a call accesses, and the gas that it uses. Transactions of this chain have no access lists:
 * the gas is that without one. Throws {@link RpcError} if the call cannot start.
 */
export function createAccessList(
  chain: SimulationChain,
  config: ApiConfig,
  request: UnsignedRequest,
): AccessListResult {
  const opened = openCall(chain, request);
  const { block, call } = opened;
  const rules = rulesAt(chain.network, block.number);
  const natives = allNativeContracts(chain.network).filter((contract) => contract.isActive(rules));
  const omitted = [call.from, call.to, ...natives.map(({ address }) => address)].map(toHex);
  const tracer = new AccessTracer(new Set(omitted), new AnswerBudget(config.maxResponseSize));
  const outcome = executeOpened(opened, tracer, opened.simulation.state);
  const error = errorOf(outcome);
  return {
    accessList: [...tracer.accesses].map(([address, cells]) => ({
      address: `0x${address}`,
      storageKeys: [...cells].map((slot) => toData(bigintToFixedBytes(slot, 32))),
    })),
    gasUsed: toQuantity(outcome.gasUsed),
    ...(error === undefined ? {} : { error }),
  };
}

function errorOf({ reverted, exception }: TransactionOutcome): string | undefined {
  if (reverted) return "execution reverted";
  return exception && failureReason(exception);
}
