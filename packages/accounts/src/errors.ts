import { CambiumError } from "@cambium/primitives";

/** Failures of keys and key files. A wrong passphrase is an answer, not a failure. */
export class AccountsError extends CambiumError<
  | { code: "INVALID_PRIVATE_KEY"; reason: string }
  | { code: "INVALID_KEY_FILE"; reason: string }
  | { code: "KEY_FOLDER"; folder: string; reason: string }
> {}
