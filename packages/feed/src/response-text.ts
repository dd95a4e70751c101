import { joinBytes } from "@cambium/primitives";

/** The text of a response. Rejects if it is longer than `maximum` bytes, however it is compressed, or does not end. */
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
