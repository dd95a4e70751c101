import { useState } from "preact/hooks";
import { grouped } from "../format/numbers.js";
import { useQuery } from "../node/query.js";
import type { Hex } from "../node/types.js";
import { Card, Loaded, Table } from "../ui/parts.js";
import { readSteps, type Step } from "./steps.js";

const ON_PAGE = 50;
/** Items of a stack, and words of memory, that are shown. */
const MAX_ITEMS = 32;
const MAX_WORDS = 64;

/** The steps of a transaction, a page at a time: a transaction may have millions. */
export function StepsCard({ hash }: { hash: Hex }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Card title="Steps">
      {isOpen ? (
        <Pages hash={hash} />
      ) : (
        <p class="row">
          <button type="button" onClick={() => setOpen(true)}>
            Show the steps
          </button>
          <span class="note">The node executes the transaction again, for each page of {ON_PAGE} steps.</span>
        </p>
      )}
    </Card>
  );
}

function Pages({ hash }: { hash: Hex }) {
  const [start, setStart] = useState(0);
  const [chosen, setChosen] = useState<number>();
  const [wanted, setWanted] = useState("");
  const query = useQuery(`steps ${hash} ${start}`, () => readSteps(hash, start, ON_PAGE, false));
  const go = (index: number) => {
    setStart(Math.max(index - (index % ON_PAGE), 0));
    setChosen(undefined);
  };
  return (
    <Loaded query={query}>
      {({ steps, structLogs }) => {
        const last = Math.max(steps - 1, 0);
        return (
          <div class="stack">
            <div class="row steps-nav">
              <button type="button" disabled={start === 0} onClick={() => go(0)}>
                First
              </button>
              <button type="button" disabled={start === 0} onClick={() => go(start - ON_PAGE)}>
                Previous
              </button>
              <span class="note" aria-live="polite">
                {grouped(Math.min(start + 1, steps))} to {grouped(Math.min(start + ON_PAGE, steps))} of {grouped(steps)}
              </span>
              <button type="button" disabled={start + ON_PAGE >= steps} onClick={() => go(start + ON_PAGE)}>
                Next
              </button>
              <button type="button" disabled={start + ON_PAGE >= steps} onClick={() => go(last)}>
                Last
              </button>
              <form
                class="row"
                onSubmit={(event) => {
                  event.preventDefault();
                  const index = Number(wanted.replaceAll(",", "")) - 1;
                  if (Number.isInteger(index)) go(Math.min(Math.max(index, 0), last));
                }}
              >
                <label class="inline">
                  Step
                  <input
                    class="short"
                    inputMode="numeric"
                    value={wanted}
                    onInput={(event) => setWanted(event.currentTarget.value)}
                  />
                </label>
                <button type="submit">Go</button>
              </form>
            </div>
            <Table
              caption="Steps"
              empty="No code ran"
              rows={structLogs.map((step, i) => ({ step, index: start + i }))}
              keyOf={({ index }) => String(index)}
              columns={[
                { title: "Step", isNumber: true, cell: ({ index }) => grouped(index + 1) },
                { title: "Depth", isNumber: true, cell: ({ step }) => step.depth },
                { title: "Position", isNumber: true, cell: ({ step }) => step.pc },
                { title: "Instruction", cell: ({ step }) => <Instruction step={step} /> },
                { title: "Gas left", isNumber: true, cell: ({ step }) => grouped(step.gas) },
                { title: "Cost", isNumber: true, cell: ({ step }) => grouped(step.gasCost) },
                {
                  title: "State",
                  cell: ({ index }) => (
                    <button
                      type="button"
                      class="quiet"
                      aria-expanded={chosen === index}
                      onClick={() => setChosen(chosen === index ? undefined : index)}
                    >
                      Stack and memory <span class="hidden">of step {index + 1}</span>
                    </button>
                  ),
                },
              ]}
            />
            {chosen !== undefined && <StateOf key={chosen} hash={hash} index={chosen} />}
          </div>
        );
      }}
    </Loaded>
  );
}

function Instruction({ step: { op, error } }: { step: Step }) {
  return (
    <>
      <code>{op}</code>
      {error !== undefined && <span class="why">{error}</span>}
    </>
  );
}

/** Stack and memory before a step. */
function StateOf({ hash, index }: { hash: Hex; index: number }) {
  const query = useQuery(`step ${hash} ${index}`, () => readSteps(hash, index, 1, true));
  return (
    <section class="outcome stack" aria-label={`State before step ${index + 1}`}>
      <h3>
        Before step {grouped(index + 1)} {query.data?.structLogs[0]?.op}
      </h3>
      <Loaded query={query}>
        {({ structLogs: [step] }) => (
          <div class="state">
            <Words title="Stack, top first" words={(step?.stack ?? []).toReversed()} maximum={MAX_ITEMS} step={1} />
            <Words title="Memory" words={step?.memory ?? []} maximum={MAX_WORDS} step={32} />
          </div>
        )}
      </Loaded>
    </section>
  );
}

interface WordsProps {
  title: string;
  words: readonly string[];
  maximum: number;
  /** Distance between the numbers of two words. */
  step: number;
}

function Words({ title, words, maximum, step }: WordsProps) {
  return (
    <div>
      <h4>
        {title} <span class="note">{grouped(words.length)}</span>
      </h4>
      {words.length === 0 && <p class="empty">Empty</p>}
      <ol class="words">
        {words.slice(0, maximum).map((word, i) => (
          <li key={i}>
            <span class="line-number">{i * step}</span> <span class="hash whole">{word}</span>
          </li>
        ))}
      </ol>
      {words.length > maximum && <p class="note">{grouped(words.length - maximum)} more are not shown.</p>}
    </div>
  );
}
