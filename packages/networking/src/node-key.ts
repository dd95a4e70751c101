import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fromHex, isPrivateKey, toHex } from "@cambium/primitives";
import { newPrivateKey } from "@cambium/rlpx";
import { NetworkingError } from "./errors.js";

export const NODE_KEY_FILE = "node-key";
const KEY_HEX = /^[0-9a-f]{64}$/;

/**
 * Loads the secp256k1 private key of the node, 32 bytes, which determines its peer id on every wire. The key is stored
 * as hex in a file that only its owner may read, and is created at the first start (`spec/07 §D.3`). Throws
 * {@link NetworkingError} `KEY_FILE`.
 */
export async function loadNodeKey(folder: string): Promise<Uint8Array> {
  const path = join(folder, NODE_KEY_FILE);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const text = await readOrUndefined(path);
    return text === undefined ? await createKey(path) : decodeKey(text);
  } catch (error) {
    const reason = (error as Error).message;
    throw new NetworkingError({ code: "KEY_FILE", path, reason }, { cause: error });
  }
}

async function readOrUndefined(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function decodeKey(text: string): Uint8Array {
  const hex = text.trim();
  if (!KEY_HEX.test(hex)) throw new Error("expected 64 hex digits");
  const key = fromHex(hex);
  if (!isPrivateKey(key)) throw new Error("expected a number from 1 to n - 1 of secp256k1");
  return key;
}

/** Writes a temporary file first, so that a killed process leaves no partial key. */
async function createKey(path: string): Promise<Uint8Array> {
  const raw = newPrivateKey();
  const draft = `${path}.new`;
  await rm(draft, { force: true });
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(`${toHex(raw)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  return raw;
}
