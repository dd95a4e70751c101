import { concatBytes } from "@cambium/primitives";

export interface CodedMessage {
  code: number;
  payload: Uint8Array;
}

/** Messages as one input of the fuzzer: code, length in two bytes and payload of each. */
export function sequenceOf(messages: readonly CodedMessage[]): Uint8Array {
  return concatBytes(
    ...messages.flatMap(({ code, payload }) => [
      Uint8Array.of(code, payload.length >> 8, payload.length & 0xff),
      payload,
    ]),
  );
}

/** The messages in any bytes; the last may be cut. */
export function* messagesIn(input: Uint8Array): Generator<CodedMessage> {
  for (let at = 0; at + 3 <= input.length; ) {
    const end = at + 3 + input[at + 1]! * 256 + input[at + 2]!;
    yield { code: input[at]!, payload: input.slice(at + 3, end) };
    at = end;
  }
}
