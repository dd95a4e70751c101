import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ask, call, callAlone, rpcPath } from "../node/client.js";
import { filledParams, readFacts } from "../node/filling.js";
import {
  curlOf,
  describe,
  isStructured,
  type Method,
  type OpenRpc,
  readParams,
  wordsOf,
  written,
} from "../node/openrpc.js";
import { useQuery } from "../node/query.js";
import { linkTo } from "../routes.js";
import { Card, Copy, Loaded } from "../ui/parts.js";

/** Characters of a response that are shown. */
const MAX_SHOWN = 200_000;

export function PlaygroundPage({ subject }: { subject: string }) {
  const query = useQuery("discover", () => callAlone<OpenRpc>("rpc.discover"));
  return (
    <>
      <p class="lead">Every method that this node offers, from its own description (rpc.discover).</p>
      <Loaded query={query}>{({ methods }) => <Chooser methods={methods} chosen={subject} />}</Loaded>
    </>
  );
}

function Chooser({ methods, chosen }: { methods: readonly Method[]; chosen: string }) {
  const [filter, setFilter] = useState("");
  const modules = useMemo(() => grouped(methods, filter.trim().toLowerCase()), [methods, filter]);
  const method = methods.find(({ name }) => name === chosen) ?? methods.find(({ name }) => name === "eth_blockNumber")!;
  return (
    <div class="playground">
      <Card title="Methods" note={String(methods.length)}>
        <label>
          Filter
          <input type="search" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
        </label>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
        <nav class="methods" aria-label="Methods" tabIndex={0}>
          {modules.length === 0 && <p class="empty">No method has “{filter.trim()}” in its name.</p>}
          {modules.map(([module, names]) => (
            <details key={module} open={filter !== "" || method.name.startsWith(module)}>
              <summary>
                {module} <span class="note">{names.length}</span>
              </summary>
              <ul>
                {names.map((name) => (
                  <li key={name}>
                    <a href={linkTo("rpc", name)} aria-current={name === method.name ? "true" : undefined}>
                      {name}
                    </a>
                  </li>
                ))}
              </ul>
            </details>
          ))}
        </nav>
      </Card>
      <Call key={method.name} method={method} />
    </div>
  );
}

/** Names by module. */
function grouped(methods: readonly Method[], filter: string): [string, string[]][] {
  const modules = new Map<string, string[]>();
  for (const { name } of methods) {
    if (!name.toLowerCase().includes(filter)) continue;
    const module = name.split(/[_.]/, 1)[0]!;
    modules.set(module, [...(modules.get(module) ?? []), name]);
  }
  return [...modules];
}

interface Answer {
  text: string;
  isError: boolean;
}

function Call({ method }: { method: Method }) {
  const { name, summary, params } = method;
  const [texts, setTexts] = useState<readonly string[]>(params.map(() => ""));
  const [answer, setAnswer] = useState<Answer>();
  const [problem, setProblem] = useState("");
  const [isAsking, setAsking] = useState(false);
  const isTouched = useRef(false);
  useEffect(() => {
    if (params.length === 0) return;
    // Keeps what the user has typed in the meantime.
    void fill(method).then((values) => isTouched.current || setTexts(values));
  }, [method]);
  const request = () => ({ jsonrpc: "2.0", id: 1, method: name, params: readParams(params, texts) });
  const change = (at: number, text: string) => {
    isTouched.current = true;
    setTexts(texts.map((old, i) => (i === at ? text : old)));
    setAnswer(undefined);
    setProblem("");
  };
  const send = async (event: Event) => {
    event.preventDefault();
    setProblem("");
    setAnswer(undefined);
    setAsking(true);
    try {
      setAnswer(answerOf(await ask(request())));
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      setAsking(false);
    }
  };
  const curl = () => {
    try {
      return curlOf(new URL(rpcPath(), location.href).href.split("#", 1)[0]!, request());
    } catch {
      return "";
    }
  };
  return (
    <Card title={name}>
      <form class="stack" onSubmit={(event) => void send(event)}>
        <p>{summary}</p>
        {params.map((param, index) => (
          <Field key={param.name} {...param} text={texts[index]!} onChange={(text) => change(index, text)} />
        ))}
        <div class="row">
          <button type="submit" class="primary" disabled={isAsking}>
            Send
          </button>
          <Copy text={curl()} what="as curl" label="Copy as curl" />
        </div>
        {problem !== "" && (
          <p class="notice bad" role="alert">
            {problem}
          </p>
        )}
        <section class="stack" aria-label="Response" aria-live="polite">
          {answer !== undefined && <Response answer={answer} method={method} />}
        </section>
      </form>
    </Card>
  );
}

function Response({ answer: { text, isError }, method }: { answer: Answer; method: Method }) {
  const sent = SENDS.test(method.name) ? /"result": "(0x[0-9a-f]{64})"/.exec(text)?.[1] : undefined;
  return (
    <>
      <div class="row">
        <h3>{isError ? "Error" : "Response"}</h3>
        <Copy text={text} what="response" />
        {sent !== undefined && <a href={linkTo("transaction", sent)}>the transaction</a>}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <pre tabIndex={0} class={isError ? "bad" : undefined}>
        {text.slice(0, MAX_SHOWN)}
      </pre>
      {text.length > MAX_SHOWN && <p class="note">The rest is not shown; Copy copies all of it.</p>}
    </>
  );
}

/** Methods that return the hash of a transaction that they send. */
const SENDS = /^(eth|personal)_send/;

/** Returns texts of the parameters, with objects of the node; the texts of the example if the node has none. */
async function fill(method: Method): Promise<string[]> {
  const example = method.examples?.[0]?.params ?? [];
  const values = await readFacts(call)
    .then((facts) => filledParams(method, facts, call))
    .catch(() => example.map(({ value }) => value));
  return method.params.map((_, i) => written(values[i]));
}

interface FieldProps {
  name: string;
  required: boolean;
  schema: Method["params"][number]["schema"];
  text: string;
  onChange(text: string): void;
}

function Field({ name, required, schema, text, onChange }: FieldProps) {
  const words = wordsOf(schema);
  const list = words.length > 0 ? `words-${name}` : undefined;
  const change = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value);
  const id = `param-${name}`;
  const shared = { id, spellcheck: false, value: text, onInput: change };
  const rows = Math.min(Math.max(text.split("\n").length, 3), 14);
  return (
    <div class="field">
      <label for={id}>
        <span>
          <strong>{name}</strong> {!required && "(optional)"} <span class="note">{describe(schema)}</span>
        </span>
      </label>
      {isStructured(schema) ? (
        <textarea rows={rows} {...shared} />
      ) : (
        <input list={list} autocomplete="off" {...shared} />
      )}
      {list !== undefined && (
        <datalist id={list}>
          {words.map((word) => (
            <option key={word} value={word} />
          ))}
        </datalist>
      )}
    </div>
  );
}

function answerOf(text: string): Answer {
  try {
    const answer = JSON.parse(text) as object;
    return { text: JSON.stringify(answer, undefined, 2), isError: "error" in answer };
  } catch {
    return { text, isError: true };
  }
}
