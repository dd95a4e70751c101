import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { concatBytes, fromHex, secp256k1, toHex } from "@cambium/primitives";
import { withReader } from "../database.js";
import { CliError, invalid } from "../errors.js";
import { text, type Values } from "../flags/flag.js";
import { DATA_FLAGS, JSON_OUTPUT, readText, resolveData } from "../options.js";
import { ProgressLine, print, printJson } from "../output.js";

export const EXPORT_FLAGS = {
  ...DATA_FLAGS,
  "key-file": text("file", "with export: file with the private key of the signer, 64 hexadecimal digits"),
  json: JSON_OUTPUT,
};

type ExportOptions = Values<typeof EXPORT_FLAGS>;

const UNCOMPRESSED = Uint8Array.of(4);

/**
 * `node-cli bootstrap export FOLDER`: writes an archive of the best block's state, and adds it to the index of the
 * signer. The folder can then be served as a base address.
 */
export async function exportState(folder: string, options: ExportOptions): Promise<void> {
  const { network, dataDir } = await resolveData(options);
  const file = options["key-file"];
  if (file === undefined)
    throw new CliError({ code: "OPTION_REQUIRES", option: "bootstrap export", requires: "--key-file" });
  const privateKey = readKey(file);
  const { exportPublishedState, signedIndex } = await import("@cambium/chain-maintenance");
  const progress = new ProgressLine();
  const exported = await withReader(network, dataDir, async (chain) => {
    const { number } = chain.best().header;
    const path = `archive/${number}/bootstrap-data.zip`;
    const onProgress = (share: number) => progress.update("writing the state", share);
    return { path, ...(await exportPublishedState(chain, join(folder, path), onProgress)) };
  });
  progress.done();
  const signer = toHex(concatBytes(UNCOMPRESSED, secp256k1.publicKey(privateKey)));
  const index = join(folder, signer, "index.json");
  const before = existsSync(index) ? readText(index) : undefined;
  await mkdir(join(folder, signer), { recursive: true });
  const date = new Date().toISOString().slice(0, 10);
  await writeFile(index, signedIndex(before, { ...exported, date }, privateKey));
  const { height, path, hash } = exported;
  if (options.json) printJson({ block: height, path, sha256: toHex(hash), signer });
  else
    print(
      `exported the state after block ${height} to ${join(folder, path)}\nSHA-256 ${toHex(hash)}\nsigner ${signer}`,
    );
}

/** Throws `CliError` `INVALID_OPTION`; the key is not shown. */
function readKey(path: string): Uint8Array {
  const digits = /^(?:0x)?([\da-f]{64})\s*$/i.exec(readText(path, 1024))?.[1];
  if (digits === undefined) throw invalid("--key-file", path, "a file with a private key of 64 hexadecimal digits");
  return fromHex(digits);
}
