import { decodeCall } from "../decode/decode.js";
import { knownContract } from "../decode/known-abis.js";
import { nativeName } from "../decode/native.js";
import { grouped, percent } from "../format/numbers.js";
import type { CallFrame } from "../node/types.js";
import { flattened } from "./frames.js";

const MAX_FRAMES = 300;
const MAX_ROWS = 12;
/** Parts of the width below which a call is not drawn. */
const MIN_PART = 0.002;

/** Gas of each call as a part of the whole: callees below their callers. */
export function FlameGraph({ root }: { root: CallFrame }) {
  const total = Number(root.gasUsed ?? 0);
  const frames = flattened(root, MAX_FRAMES);
  const rows = Math.min(Math.max(...frames.map(({ depth }) => depth)) + 1, MAX_ROWS);
  if (total === 0 || frames.length < 2) return null;
  const label = `Gas by call: ${frames.length} calls, ${grouped(total)} gas in all. The table below has the same figures.`;
  return (
    <div class="flame" role="img" aria-label={label} style={{ height: `${rows * 1.75}rem` }}>
      {frames.map(({ frame, depth, start }, i) => {
        const gas = Number(frame.gasUsed ?? 0);
        if (depth >= MAX_ROWS || gas / total < MIN_PART) return null;
        const name = nameOf(frame);
        return (
          <div
            key={i}
            class={frame.error === undefined ? "bar" : "bar bad"}
            title={`${name}: ${grouped(gas)} gas, ${percent(gas, total)}`}
            style={{ left: `${(100 * start) / total}%`, width: `${(100 * gas) / total}%`, top: `${depth * 1.75}rem` }}
          >
            {name} <span class="share">{percent(gas, total)}</span>
          </div>
        );
      })}
    </div>
  );
}

function nameOf({ type, to = "0x", input = "0x" }: CallFrame): string {
  const contract = nativeName(to) ?? (knownContract(to)?.name || `${to.slice(0, 8)}…`);
  if (type.startsWith("CREATE")) return `new ${contract}`;
  const method = input.length < 10 ? "" : (decodeCall(to, input)?.name ?? input.slice(0, 10));
  return method === "" ? contract : `${contract}.${method}`;
}
