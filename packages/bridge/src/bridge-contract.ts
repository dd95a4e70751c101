import { BRIDGE_ADDRESS, type Rules } from "@cambium/config";
import { type AbiArgument, type AbiValue, EMPTY_BYTES, encodeValues, toHex } from "@cambium/primitives";
import { type NativeCallContext, type NativeContract, OncePerCall, TextlessFailure } from "@cambium/state";
import { parseCallData, selectedMethod } from "./abi/call-data.js";
import type { Implementation } from "./abi/implementation.js";
import { type BridgeMethod, isLocalOnly, RELEASE_BTC } from "./abi/methods.js";
import { BridgeError } from "./errors.js";
import { federationGetters } from "./federation/getters.js";
import { isFreeBridgeCall } from "./free-transactions.js";
import { DATA_GAS, LEAST_GAS, methodGas } from "./method-gas.js";
import { coinbaseMethods } from "./parent-chain/coinbase-registration.js";
import { parentChainGetters } from "./parent-chain/getters.js";
import { headerMethods } from "./parent-chain/header-methods.js";
import { whitelistMethods } from "./peg-in/whitelist.js";
import { pegMethods } from "./peg-methods.js";
import { BridgeSession } from "./session.js";
import { stateGetters } from "./state-getters.js";
import { unionMethods } from "./union.js";
import { federationVotes } from "./votes/federation-votes.js";
import { feeAndCapVotes } from "./votes/fee-and-cap-votes.js";

/** Every method of the table. */
const IMPLEMENTATIONS: ReadonlyMap<string, Implementation> = new Map(
  Object.entries({
    ...federationGetters,
    ...federationVotes,
    ...headerMethods,
    ...coinbaseMethods,
    ...parentChainGetters,
    ...stateGetters,
    ...feeAndCapVotes,
    ...whitelistMethods,
    ...pegMethods,
    ...unionMethods,
  }),
);

/** The two-way peg with the parent chain: `spec/06a`. */
class BridgeContract implements NativeContract {
  readonly address = BRIDGE_ADDRESS;
  readonly name = "bridge";
  readonly recordsInternalTransactions = true;

  /**
   * Selected method and session of each call. Computing gas can open the parent-chain store. The execution that follows
   * uses the same session, so that it saves the resulting writes.
   */
  private readonly calls = new OncePerCall((data, context) => ({
    call: parseCallData(data, context.rules),
    session: new BridgeSession(context),
  }));

  isActive(): boolean {
    return true;
  }

  /**
   * Returns the minimum gas, which is known before the data are checked. Otherwise a contract could make the bridge
   * check a megabyte of offsets for the 700 gas of a call that cannot pay.
   */
  leastGas(data: Uint8Array, rules: Rules): number {
    const mayThrow = !rules.rskip88 || selectedMethod(data, rules)?.gas === "confirmations";
    return mayThrow ? 0 : LEAST_GAS;
  }

  /**
   * Gas of a call (`spec/06a §3.1`). Throws {@link TextlessFailure} for a call from a contract before RSKIP-88, and if
   * confirmations are requested for a cell that is not a block.
   */
  gas(data: Uint8Array | null, context: NativeCallContext): number {
    if (!context.rules.rskip88 && context.kind !== "transaction") {
      const reason = "called by a contract before RSKIP-88";
      throw new TextlessFailure({ code: "TEXTLESS_FAILURE", contract: this.name, reason });
    }
    if (isFreeBridgeCall(context)) return 0;
    const { call, session } = this.calls.of(data, context);
    if (call === undefined) return methodGas(RELEASE_BTC, [], session);
    return methodGas(call.method, call.args, session) + DATA_GAS * (data?.length ?? 0);
  }

  /**
   * Runs a method and, if it succeeds, saves what it loaded (`spec/06a §1`). Throws {@link BridgeError} if the call
   * fails.
   */
  execute(data: Uint8Array | null, context: NativeCallContext): Uint8Array | null {
    const { call, session } = this.calls.of(data, context);
    if (call === undefined) {
      if (!context.rules.rskip88) return null;
      const selector = toHex((data ?? EMPTY_BYTES).subarray(0, 4));
      throw new BridgeError({ code: "INVALID_CALL", selector });
    }
    requireAllowed(call.method, context);
    const result = attempt(IMPLEMENTATIONS.get(call.method.signature)!, session, call.args);
    if (result === null) return null;
    session.storage.save();
    if (result !== undefined) return encodeValues(call.method.definition.outputs, [result]);
    return context.rules.rskip417 ? EMPTY_BYTES : null;
  }
}

/** Runs a method; null for an "illegal argument", which fails the call only from RSKIP-88 on (`spec/06a §1.3`). */
function attempt(
  run: Implementation,
  session: BridgeSession,
  args: readonly AbiArgument[],
): AbiValue | undefined | null {
  try {
    return run(session, args);
  } catch (error) {
    if (!session.rules.rskip88 && error instanceof BridgeError && error.code === "ILLEGAL_ARGUMENT") return null;
    throw error;
  }
}

/** Enforces local-only methods (RSKIP-88) and permitted kinds of call (RSKIP-417). */
function requireAllowed(method: BridgeMethod, { rules, transaction, kind }: NativeCallContext): void {
  const { signature } = method;
  if (rules.rskip88 && !transaction.isLocalCall && isLocalOnly(method, rules)) {
    throw new BridgeError({ code: "LOCAL_CALL_ONLY", method: signature });
  }
  if (!rules.rskip417 || kind === "transaction" || kind === "call") return;
  if (kind !== "staticcall" || method.kind !== "view") {
    throw new BridgeError({ code: "CALL_KIND", method: signature, kind });
  }
}

/** Creates the bridge contract, with its own cache of decoded calls. */
export function createBridgeContract(): NativeContract {
  return new BridgeContract();
}
