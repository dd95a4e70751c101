import { atDepth } from "@cambium/test-utils/depth";
import { assertSameBytes } from "@cambium/test-utils/fuzz-target";
import { SEED } from "@cambium/test-utils/seed";
import { lineOf, readCollection } from "./driver/corpus.js";
import { Mutator } from "./driver/mutation.js";
import { loadTargets, type NamedTarget, wordsOf } from "./driver/targets.js";
import { RandomChoice } from "./random-choice.js";

/** Number of mutated inputs of each target, multiplied by its share. */
const MUTATIONS = atDepth(0, 1_000);
/** Maximum length of an input; longer ones are left to the fuzzer, which has more time. */
const MAX_LENGTH = 10_000;

/** Runs a target, and checks that nothing writes to the input. */
async function run({ name, target }: NamedTarget, input: Uint8Array): Promise<void> {
  const given = input.slice();
  try {
    await target.run(given);
    assertSameBytes(given, input);
  } catch (error) {
    throw new Error(`${name}: ${String(error)}\n${lineOf(input)}`, { cause: error });
  }
}

describe("inputs found by the fuzzer", () => {
  it(`violate no property, nor do ${MUTATIONS} mutations for each target with SEED=${SEED}`, async () => {
    for (const named of await loadTargets()) {
      const { name, target } = named;
      const inputs = [
        ...(await target.seeds()),
        ...readCollection(name, "corpus"),
        ...readCollection(name, "regressions"),
      ];
      for (const input of inputs) await run(named, input);
      const mutator = new Mutator(
        new RandomChoice(SEED),
        wordsOf(target),
        Math.min(MAX_LENGTH, target.maxLength ?? MAX_LENGTH),
      );
      const mutations = MUTATIONS * (target.share ?? 1);
      for (let i = 0; i < mutations; i++) await run(named, mutator.next(inputs));
    }
  });
});
