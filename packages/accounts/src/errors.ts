import { CambiumError } from "@cambium/primitives";

/** Errors of keys and key files. A wrong passphrase is a result, not an error. */
export class AccountsError extends CambiumError<
  | { code: "INVALID_PRIVATE_KEY"; reason: string }
  | { code: "INVALID_KEY_FILE"; reason: string }
  | { code: "KEY_FOLDER"; folder: string; reason: string }
  /** Too many passphrases wait to be processed. */
  | { code: "BUSY"; limit: number }
  | { code: "TOO_MANY_ACCOUNTS"; limit: number }
> {}
