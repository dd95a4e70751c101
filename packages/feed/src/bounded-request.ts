import { joinBytes } from "@cambium/primitives";

/** Reads the text of a response. Rejects if it exceeds `maximum` bytes after decompression. */
export async function responseText(response: Response, maximum: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > maximum) throw new Error(`the answer has more than ${maximum} bytes`);
    parts.push(part);
  }
  return new TextDecoder().decode(joinBytes(parts));
}

/** Returns a signal that aborts after some milliseconds, or with `end`. */
export function requestSignal(end: AbortSignal | undefined, milliseconds: number): AbortSignal {
  const timeout = AbortSignal.timeout(milliseconds);
  return end === undefined ? timeout : AbortSignal.any([end, timeout]);
}
