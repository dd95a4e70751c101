import { ChainError } from "@cambium/chain-store";

/** Throws {@link ChainError} `DATABASE_DAMAGED` if a stored thing is missing. */
export function required<T>(value: T | undefined, what: string, key: Uint8Array): T {
  if (value === undefined) throw new ChainError({ code: "DATABASE_DAMAGED", what, key });
  return value;
}
