import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { generateKeyPair, privateKeyFromRaw } from "@libp2p/crypto/keys";
import type { Secp256k1PrivateKey } from "@libp2p/interface";
import { NetworkingError } from "../../errors.js";
import { reasonOf } from "./addresses.js";

const FILE = "node-key";
const KEY_HEX = /^[0-9a-f]{64}$/;

/**
 * The key behind the node's peer id: 32 bytes as hex in a file that only its owner may read, created at the first start
 * (`spec/07 §D.3`). Throws {@link NetworkingError} `KEY_FILE`.
 */
export async function loadNodeKey(folder: string): Promise<Secp256k1PrivateKey> {
  const path = join(folder, FILE);
  try {
    await mkdir(folder, { recursive: true });
    const text = await readOrUndefined(path);
    return text === undefined ? await createKey(path) : decodeKey(text);
  } catch (error) {
    throw new NetworkingError({ code: "KEY_FILE", path, reason: reasonOf(error) }, { cause: error });
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

function decodeKey(text: string): Secp256k1PrivateKey {
  const hex = text.trim();
  if (!KEY_HEX.test(hex)) throw new Error("expected 64 hex digits");
  return privateKeyFromRaw(Buffer.from(hex, "hex")) as Secp256k1PrivateKey;
}

/** Writes a temporary file first, so that a killed process leaves no partial key. */
async function createKey(path: string): Promise<Secp256k1PrivateKey> {
  const key = await generateKeyPair("secp256k1");
  const draft = `${path}.new`;
  await rm(draft, { force: true });
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(`${Buffer.from(key.raw).toString("hex")}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  return key;
}
