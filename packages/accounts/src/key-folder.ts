import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile, toHex } from "@cambium/primitives";
import { AccountsError } from "./errors.js";
import { type EncryptedKey, readKeyFile, writeKeyFile } from "./key-file.js";

/** A key file that cannot be read, with the reason. */
export interface UnreadableKey {
  path: string;
  reason: string;
}

/** Content of a key folder in the order of file names, which begin with the creation time. */
export interface KeyFolderContent {
  keys: EncryptedKey[];
  unreadable: UnreadableKey[];
}

/** Accessible by the owner only. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Reads every `UTC--…` file; a missing folder is empty. Throws {@link AccountsError} `KEY_FOLDER`. */
export function readKeyFolder(folder: string): KeyFolderContent {
  const content: KeyFolderContent = { keys: [], unreadable: [] };
  for (const name of keyFileNames(folder)) {
    const path = join(folder, name);
    try {
      content.keys.push(readKeyFile(readFileSync(path, "utf8")));
    } catch (error) {
      content.unreadable.push({ path, reason: (error as Error).message });
    }
  }
  return content;
}

function keyFileNames(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.startsWith("UTC--"))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new AccountsError({ code: "KEY_FOLDER", folder, reason: (error as Error).message }, { cause: error });
  }
}

/**
 * Writes a key file atomically, under the name that other wallets expect. Throws {@link AccountsError} `KEY_FOLDER`.
 */
export function addToKeyFolder(folder: string, key: EncryptedKey, time: Date): void {
  const name = `UTC--${time.toISOString().replaceAll(":", "-")}--${toHex(key.address)}`;
  try {
    mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
    const partial = join(folder, `.${name}`);
    replaceFile(join(folder, name), writeKeyFile(key), { partial, mode: FILE_MODE, flush: true });
  } catch (error) {
    throw new AccountsError({ code: "KEY_FOLDER", folder, reason: (error as Error).message }, { cause: error });
  }
}
