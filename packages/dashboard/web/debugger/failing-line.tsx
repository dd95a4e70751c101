import type { Artifact } from "../../src/artifacts/artifact.js";
import { useArtifact } from "../artifacts/artifacts.js";
import { callAlone } from "../node/client.js";
import { useQuery } from "../node/query.js";
import type { CallFrame, Hex } from "../node/types.js";
import { Account } from "../ui/account.js";
import { contractKey, isCreation, originOfFailure } from "./frames.js";
import { sourceOf } from "./source-lines.js";
import { readSteps, type Step } from "./steps.js";

/** Number of steps at the end of a transaction that are searched for the failing one. */
const LAST_STEPS = 5_000;

/** The line of the source at which a transaction failed, if the artifact of that contract has its source map. */
export function FailingLine({ hash, root }: { hash: Hex; root: CallFrame }) {
  const origin = originOfFailure(root);
  const artifact = useArtifact(origin && contractKey(origin.frame, root));
  if (origin === undefined || artifact?.sources === undefined) return null;
  return <Line hash={hash} frame={origin.frame} depth={origin.depth} artifact={artifact} />;
}

interface LineProps {
  hash: Hex;
  frame: CallFrame;
  depth: number;
  artifact: Artifact;
}

function Line({ hash, frame, depth, artifact }: LineProps) {
  const { data: step } = useQuery(`failing ${hash}`, () => failingStep(hash, depth));
  const place = step && sourceOf(artifact, step.pc, isCreation(frame));
  if (place === undefined) return null;
  return (
    <figure class="source">
      <figcaption>
        Failed in {frame.to === undefined || isCreation(frame) ? artifact.name : <Account address={frame.to} />},{" "}
        {place.path}, line {place.line}
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <pre tabIndex={0}>
        {place.lines.map((text, i) => {
          const line = place.first + i;
          return (
            <div key={line} class={line === place.line ? "line here" : "line"}>
              <span class="line-number">{line}</span>
              {text}
            </div>
          );
        })}
      </pre>
    </figure>
  );
}

/** The last step of the call at this depth: that which failed. */
async function failingStep(hash: Hex, depth: number): Promise<Step | undefined> {
  const { steps } = await callAlone<{ steps: number }>("debug_traceTransaction", hash, {
    offset: Number.MAX_SAFE_INTEGER,
    limit: 1,
  });
  const window = await readSteps(hash, Math.max(steps - LAST_STEPS, 0), LAST_STEPS, false);
  return window.structLogs.findLast((step) => step.depth === depth + 1);
}
