import { BRIDGE_CELLS } from "@cambium/bridge";
import { BRIDGE_ADDRESS } from "@cambium/config";
import { type Evm, TransactionRejected } from "@cambium/evm";
import { bytesToNumber, EMPTY_BYTES, fromHex } from "@cambium/primitives";
import type { ExecutingBlock, WorldState } from "@cambium/state";

/** Selector of the bridge's `getBaseEvent()`. */
const GET_BASE_EVENT = fromHex("a25b94cb");
const GAS = 1_000_000n;
const WORD = 32;
/** Maximum length of a header's base event. */
const MAX_LENGTH = 128;

/**
 * The event for this block's header (RSKIP-535, `spec/02 §7.6`), as the bridge returns it on the state after the block;
 * empty if there is none. The deployed client reads it from a state that is not stored yet and mostly finds nothing;
 * import does not check it.
 */
export function baseEventAfter(state: WorldState, block: ExecutingBlock, evm: Evm): Uint8Array {
  const isSet = state.getStorageBytes(BRIDGE_ADDRESS, BRIDGE_CELLS.baseEvent) !== undefined;
  const known = isSet ? undefined : withoutEvent.get(evm);
  if (known !== undefined) return known;
  const event = askBridge(state, block, evm);
  if (!isSet) withoutEvent.set(evm, event);
  return event;
}

/** The bridge's result while no event is stored, which is usual: a call costs more than a transfer. */
const withoutEvent = new WeakMap<Evm, Uint8Array>();

function askBridge(state: WorldState, block: ExecutingBlock, evm: Evm): Uint8Array {
  try {
    const call = { from: new Uint8Array(20), to: BRIDGE_ADDRESS, data: GET_BASE_EVENT, value: 0n, gasPrice: 0n };
    const { output, status } = evm.call({ ...call, gasLimit: GAS }, block, state);
    return status === 1 && output !== null ? dynamicBytes(output) : EMPTY_BYTES;
  } catch (error) {
    if (error instanceof TransactionRejected) return EMPTY_BYTES;
    throw error;
  }
}

/** Decodes an ABI-encoded result of type `bytes`: offset, length, content. */
function dynamicBytes(output: Uint8Array): Uint8Array {
  if (output.length < 2 * WORD) return EMPTY_BYTES;
  const length = bytesToNumber(output.subarray(2 * WORD - 6, 2 * WORD));
  return length > MAX_LENGTH ? EMPTY_BYTES : output.slice(2 * WORD, 2 * WORD + length);
}
