import { SmallBlocks } from "./small-block/small-blocks.js";

type Print = (name: string, value: number, unit: string) => void;

const IMPORTS = 5;

/** Import of blocks with three transactions each. `small-block/check.ts` compares it with its record. */
export async function run(print: Print): Promise<void> {
  const blocks = await SmallBlocks.create();
  try {
    const times = Array.from({ length: IMPORTS }, () => blocks.import());
    print("import, processor time", Math.min(...times), "ms/block");
  } finally {
    blocks.remove();
  }
}
