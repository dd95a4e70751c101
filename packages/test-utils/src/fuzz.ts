import { CambiumError, toHex } from "@cambium/primitives";
import { FUZZ_RUNS } from "./depth.js";
import { random } from "./random.js";
import { SEED } from "./seed.js";

/** Byte values at which decoders branch. */
const TELLING = [0x00, 0x01, 0x7f, 0x80, 0x81, 0xb7, 0xb8, 0xbb, 0xbf, 0xc0, 0xc1, 0xf7, 0xf8, 0xfb, 0xff];

/**
 * Calls `decode` with random bytes and with mutations of `samples`. Any error that is not one of the project's typed
 * errors fails the test and reports the input.
 */
export function fuzz(samples: readonly Uint8Array[], decode: (data: Uint8Array) => void, runs = FUZZ_RUNS): void {
  const next = random(SEED);
  const below = (n: number) => Math.floor(next() * n);
  const byte = () => (next() < 0.5 ? TELLING[below(TELLING.length)]! : below(256));
  for (let run = 0; run < runs; run++) {
    const sample = samples[below(samples.length)];
    const data = sample === undefined || next() < 0.1 ? randomBytes(below(120), byte) : mutate(sample, below, byte);
    try {
      decode(data);
    } catch (error) {
      if (error instanceof CambiumError) continue;
      throw new Error(`run ${run} of seed ${SEED}, input ${toHex(data)}: ${String(error)}`, { cause: error });
    }
  }
}

function randomBytes(length: number, byte: () => number): Uint8Array {
  return Uint8Array.from({ length }, byte);
}

function mutate(sample: Uint8Array, below: (n: number) => number, byte: () => number): Uint8Array {
  let data = Uint8Array.from(sample);
  for (let changes = 1 + below(4); changes > 0; changes--) {
    const at = below(data.length + 1);
    const length = below(8);
    switch (below(4)) {
      case 0:
        if (at < data.length) data[at] = byte();
        break;
      case 1:
        data = splice(data, at, length, new Uint8Array(0));
        break;
      case 2:
        data = splice(data, at, 0, randomBytes(length, byte));
        break;
      default:
        data = splice(data, at, length, data.slice(below(data.length + 1)).subarray(0, 40));
    }
  }
  return data;
}

function splice(data: Uint8Array, at: number, removed: number, added: Uint8Array): Uint8Array<ArrayBuffer> {
  const rest = data.subarray(Math.min(data.length, at + removed));
  const out = new Uint8Array(at + added.length + rest.length);
  out.set(data.subarray(0, at), 0);
  out.set(added, at);
  out.set(rest, at + added.length);
  return out;
}
