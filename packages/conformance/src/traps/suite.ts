import { BRIDGE_ADDRESS } from "@cambium/config";
import { fromHex, keccak256, leftPad, toData, toQuantity, utf8 } from "@cambium/primitives";
import type { KeyedStateView } from "@cambium/state";
import { failed } from "../comparison.js";
import type { CaseResult, VectorSuite } from "../interface.js";
import { parseLines, someFirstLine } from "../lines.js";
import { differentField, storyDifference } from "../stories/comparison.js";
import { attempt, StoryRun } from "../stories/run.js";
import { parseTrap, type Trap } from "./format.js";

/** Stories at heights where clients have had faults (`test/vectors/traps/README.md`). One case per story. */
export const trapsSuite: VectorSuite = {
  name: "traps",

  async accepts(file) {
    if (!/\.jsonl$/.test(file.name)) return false;
    return someFirstLine(file, (line) => /"rule"\s*:/.test(line) && /"blocks"\s*:\s*\[/.test(line));
  },

  async *run(files) {
    for (const file of files) {
      for await (const parsed of parseLines(file, parseTrap)) {
        if ("fault" in parsed) yield failed(`${file.name}:${parsed.line}`, parsed.fault);
        else yield result(parsed.value);
      }
    }
  },
};

function result(trap: Trap): CaseResult {
  const name = `${trap.network} ${trap.height}: ${trap.rule}`;
  const difference = attempt(() => trapDifference(trap));
  return difference === undefined ? { name, outcome: "passed" } : failed(name, difference);
}

function trapDifference(trap: Trap): string | undefined {
  const run = new StoryRun(trap);
  const wrongStart = differentField("preRoot", toData(run.start()), trap.preRoot);
  if (wrongStart !== undefined) return wrongStart;
  for (const block of trap.blocks) {
    const difference = storyDifference(block, run.execute(block));
    if (difference === undefined) continue;
    const detail = block === trap.blocks.at(-1) ? afterwards(trap, run.view) : undefined;
    return `block ${block.number} ${difference}${detail === undefined ? "" : `; ${detail}`}`;
  }
  return afterwards(trap, run.view);
}

/**
 * Returns the first cell or account that differs from the recording. The root of the state implies them; they show the
 * fault.
 */
function afterwards({ cells, accounts }: Trap, state: KeyedStateView): string | undefined {
  const differences = [
    ...Object.entries(cells).map(([name, value]) => {
      const cell = state.getStorageBytes(BRIDGE_ADDRESS, cellAddress(name));
      return differentField(`cell ${name}`, cell === undefined ? null : toData(cell), value);
    }),
    ...Object.entries(accounts).map(([hex, account]) =>
      differentField(`account ${hex}`, JSON.stringify(accountOf(state, fromHex(hex))), JSON.stringify(account)),
    ),
  ];
  return differences.find((difference) => difference !== undefined);
}

/** `spec/06a §5.1`: a name is right-aligned ASCII, one with an identifier is hashed. */
export function cellAddress(name: string): Uint8Array {
  if (name.startsWith("0x")) return fromHex(name);
  return name.includes("-") ? keccak256(utf8(name)) : leftPad(utf8(name), 32);
}

/** Returns an account in the form of the recording. */
export function accountOf(state: KeyedStateView, address: Uint8Array): Trap["accounts"][string] {
  if (!state.exists(address)) return null;
  const [nonce, balance] = [state.getNonce(address), state.getBalance(address)];
  return { nonce: toQuantity(nonce), balance: toQuantity(balance), contract: state.isContract(address) };
}
