import { STATE_EDITOR_ACCOUNT, STATE_EDITOR_ADDRESS } from "@cambium/config";
import { EMPTY_BYTES, equalBytes } from "@cambium/primitives";
import type { NativeCallContext, NativeContract, WorldState } from "@cambium/state";
import { NativeContractError } from "../errors.js";
import { decodeStateEdits, type StateEdit } from "./state-edit.js";

/**
 * Changes the state for tools of developers (`docs/local-network.md`). These changes are part of a block, so that
 * exports, checks, traces and other nodes need not know them. It exists on networks for development only, accepts
 * direct transactions of one account only, whose key is public, and costs nothing.
 */
export const stateEditor: NativeContract = {
  address: STATE_EDITOR_ADDRESS,
  name: "state editor",
  isActive: () => true,
  gas: () => 0,
  execute(data: Uint8Array | null, context: NativeCallContext): Uint8Array {
    const { kind, caller, state } = context;
    if (kind !== "transaction" || !equalBytes(caller, STATE_EDITOR_ACCOUNT)) {
      throw new NativeContractError({ code: "NOT_STATE_EDITOR" });
    }
    for (const edit of decodeStateEdits(data ?? EMPTY_BYTES)) apply(state, edit);
    return EMPTY_BYTES;
  },
};

function apply(state: WorldState, edit: StateEdit): void {
  const { address } = edit;
  switch (edit.kind) {
    case "balance":
      state.addBalance(address, edit.balance - state.getBalance(address));
      break;
    case "nonce":
      state.setNonce(address, edit.nonce);
      break;
    case "code":
      setCode(state, address, edit.code);
      break;
    case "cell":
      setCell(state, address, edit.key, edit.value);
      break;
    case "removal":
      state.deleteAccount(address);
  }
}

/** A new account gets its marker with its first cell; an existing one without code has none. */
function setCell(state: WorldState, address: Uint8Array, key: Uint8Array, value: Uint8Array): void {
  if (state.exists(address) && !state.isContract(address)) state.markContract(address);
  state.setStorageBytes(address, key, value.length === 0 ? undefined : value);
}

function setCode(state: WorldState, address: Uint8Array, code: Uint8Array): void {
  // The account must exist, also with empty code.
  state.addBalance(address, 0n);
  if (code.length > 0 && !state.isContract(address)) state.markContract(address);
  state.setCode(address, code);
}
