import type { KeyStore } from "@cambium/accounts";
import type { MethodParts } from "../definition/method.js";
import { invalidParams } from "../errors.js";

/** The wallet for methods of `eth`. Throws {@link RpcError} `INVALID_PARAMS` if it is disabled. */
export function openWallet({ accounts }: MethodParts): KeyStore {
  if (accounts === undefined) throw invalidParams("Local wallet is disabled in this node");
  return accounts;
}

/** Key of an unlocked account. Throws {@link RpcError} `INVALID_PARAMS`. */
export function unlockedKey(parts: MethodParts, address: Uint8Array): Uint8Array {
  const key = openWallet(parts).privateKey(address);
  if (key === undefined) throw invalidParams("Account not found");
  return key;
}
