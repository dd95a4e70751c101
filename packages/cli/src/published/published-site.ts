import { type ChosenArchive, chooseArchive, PublishedStateError, readIndexes } from "@cambium/chain-maintenance";
import type { NetworkConfig, PublishedStateConfig } from "@cambium/config";
import { fetchFailure, fromHex, toHex } from "@cambium/primitives";
import { httpGet } from "../download/http-get.js";
import { CliError, invalid } from "../errors.js";
import type { Values } from "../flags/flag.js";
import type { SITE_FLAGS } from "./site-flags.js";

/** Time limit for an index, in milliseconds, and its maximum length in bytes. */
const PATIENCE = 60_000;
const MAX_INDEX = 4 * 2 ** 20;
const KEY = /^(?:0x)?(04[\da-f]{128})$/i;

/** An archive and its addresses. */
export interface FoundArchive extends ChosenArchive {
  urls: readonly URL[];
  /** Number of signers that are trusted. */
  trusted: number;
}

/** The source of published state that flags name, or the network. Throws {@link CliError}. */
export function publishedStateOf(network: NetworkConfig, options: Values<typeof SITE_FLAGS>): PublishedStateConfig {
  const url = options["bootstrap.url"] ?? network.publishedState?.url;
  const signers = options["bootstrap.keys"]?.map(parseKey) ?? network.publishedState?.signers;
  if (url === undefined || signers === undefined) {
    throw new CliError({ code: "NO_PUBLISHED_STATE", network: network.name });
  }
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw invalid("--bootstrap.url", url, "an address that begins with https:// or http://");
  }
  const distinct = new Map(signers.map((signer) => [toHex(signer), signer]));
  return { url: url.endsWith("/") ? url : `${url}/`, signers: [...distinct.values()] };
}

function parseKey(key: string): Uint8Array {
  const digits = KEY.exec(key)?.[1];
  if (digits === undefined)
    throw invalid("--bootstrap.keys", key, "uncompressed public keys of 130 hexadecimal digits");
  return fromHex(digits);
}

/**
 * Reads the indexes of the signers and chooses an archive. `note` receives the unreadable ones. Rejects with
 * {@link CliError} `NO_INDEX` if none can be read, and with `PublishedStateError` as `chooseArchive` does.
 */
export async function findArchive(
  { url, signers }: PublishedStateConfig,
  signal: AbortSignal,
  note: (text: string) => void,
): Promise<FoundArchive> {
  const { indexes, unread } = await readIndexes(signers, (path) => fetchText(new URL(path, url), signal));
  signal.throwIfAborted();
  if (indexes.length === 0) throw new CliError({ code: "NO_INDEX", url, reason: reasonOf(unread[0]!.error) });
  for (const { signer, error } of unread) {
    note(`index of signer ${toHex(signer).slice(0, 10)}… ignored: ${reasonOf(error)}`);
  }
  const chosen = chooseArchive(indexes, signers.length);
  return { ...chosen, urls: chosen.paths.map((path) => new URL(path, url)), trusted: signers.length };
}

async function fetchText(url: URL, signal: AbortSignal): Promise<string> {
  const response = await httpGet(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]) });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`the server answered with status ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_INDEX) throw new Error(`it is longer than ${MAX_INDEX} bytes`);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function reasonOf(error: unknown): string {
  const isMalformed = error instanceof PublishedStateError && error.details.code === "INDEX";
  return isMalformed ? error.details.reason : fetchFailure(error);
}
