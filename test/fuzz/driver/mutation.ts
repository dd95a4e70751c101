import type { RandomChoice } from "../random-choice.js";
import { mutateJson } from "./json-mutation.js";
import { mutateRlp } from "./rlp-mutation.js";

/** Byte values at which decoders branch. */
const TELLING = [0x00, 0x01, 0x7f, 0x80, 0x81, 0xb7, 0xb8, 0xbb, 0xbf, 0xc0, 0xc1, 0xf7, 0xf8, 0xfb, 0xfd, 0xfe, 0xff];
/**
 * Share of inputs in which a part is repeated up to the length limit: such an input takes as much time as hundreds of
 * others.
 */
const LONG = 1 / 1000;
/** Maximum length of other inputs. */
const USUAL_LENGTH = 4096;

/** Makes inputs from others. */
export class Mutator {
  constructor(
    private readonly random: RandomChoice,
    private readonly words: readonly Uint8Array[],
    private readonly maxLength: number,
  ) {}

  /** Returns a new input, from one of the inputs and maybe parts of others. */
  next(inputs: readonly Uint8Array[]): Uint8Array {
    const { random } = this;
    let data = random.pick(inputs);
    if (random.chance(LONG)) return this.repeated(data);
    const other = random.pick(inputs);
    for (let changes = 1 << random.below(5); changes > 0; changes--) data = this.changed(data, other);
    // Decoders receive no Buffers.
    return Uint8Array.from(data.subarray(0, Math.min(this.maxLength, USUAL_LENGTH)));
  }

  private changed(data: Uint8Array, other: Uint8Array): Uint8Array {
    const { random } = this;
    if (random.chance(0.3)) {
      const first = data[0];
      const isJson = first === 0x7b || first === 0x5b || first === 0x22;
      const mutated = isJson ? mutateJson(data, other, this.words, random) : mutateRlp(data, other, random);
      if (mutated !== undefined) return mutated;
    }
    const at = random.below(data.length + 1);
    const length = random.chance(0.8) ? random.below(9) : random.below(data.length + 1);
    switch (random.below(8)) {
      case 0:
        return splice(data, at, 1, Uint8Array.of(random.pick(TELLING)));
      case 1:
        return splice(data, at, 1, Uint8Array.of(data[at]! ^ (1 << random.below(8))));
      case 2:
        return splice(data, at, 1, Uint8Array.of(data[at]! + random.below(17) - 8));
      case 3:
        return splice(data, at, length, random.bytes(0));
      case 4:
        return splice(data, at, random.chance(0.5) ? length : 0, random.bytes(length));
      case 5:
        return splice(data, at, random.chance(0.5) ? length : 0, slice(data, length, random));
      case 6:
        return splice(data, at, random.chance(0.5) ? length : 0, slice(other, random.below(other.length + 1), random));
      default: {
        if (this.words.length === 0) return splice(data, at, length, new Uint8Array(length).fill(random.pick(TELLING)));
        const word = random.pick(this.words);
        return splice(data, at, random.chance(0.5) ? word.length : 0, word);
      }
    }
  }

  private repeated(data: Uint8Array): Uint8Array {
    const { random } = this;
    const at = random.below(data.length + 1);
    const part = data.subarray(at, at + 1 + random.below(40));
    const room = this.maxLength - data.length;
    const times = part.length === 0 ? 0 : Math.floor(room / part.length) >> random.below(8);
    const middle = new Uint8Array(Math.max(times, 0) * part.length);
    for (let i = 0; i < middle.length; i += part.length) middle.set(part, i);
    return splice(data, at, 0, middle);
  }
}

function slice(data: Uint8Array, length: number, random: RandomChoice): Uint8Array {
  const start = random.below(data.length + 1);
  return data.subarray(start, start + length);
}

/** Returns the bytes with `removed` of them replaced. */
function splice(data: Uint8Array, at: number, removed: number, added: Uint8Array): Uint8Array {
  const rest = data.subarray(Math.min(data.length, at + removed));
  const out = new Uint8Array(Math.min(at, data.length) + added.length + rest.length);
  out.set(data.subarray(0, at));
  out.set(added, at);
  out.set(rest, at + added.length);
  return out;
}
