import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { checksummed } from "../format/addresses.js";
import { isMissing } from "../node/client.js";
import { live } from "../node/live.js";
import type { Query } from "../node/query.js";
import { linkTo } from "../routes.js";

/** A titled part of a page. */
export function Card({
  title,
  note,
  children,
}: {
  title: string;
  note?: ComponentChildren;
  children: ComponentChildren;
}) {
  const id = useId();
  return (
    <section class="card" aria-labelledby={id}>
      <header class="card-head">
        <h2 id={id}>{title}</h2>
        {note !== undefined && <span class="note">{note}</span>}
      </header>
      {children}
    </section>
  );
}

/** One figure of the overview. */
export function Figure({
  name,
  value,
  detail,
}: {
  name: string;
  value: ComponentChildren;
  detail?: ComponentChildren;
}) {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd>
        <span class="value">{value}</span>
        {detail !== undefined && <span class="note">{detail}</span>}
      </dd>
    </div>
  );
}

export function Figures({ children }: { children: ComponentChildren }) {
  return <dl class="figures">{children}</dl>;
}

/** Names and values of one thing. */
export function Facts({ children }: { children: ComponentChildren }) {
  return <dl class="facts">{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export interface Column<Row> {
  title: string;
  cell(row: Row): ComponentChildren;
  /** Whether the cells are numbers, which are aligned at the right. */
  isNumber?: boolean;
}

/** A table that scrolls by itself if it is wider than the page. */
export function Table<Row>({
  caption,
  columns,
  rows,
  empty,
  keyOf,
}: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Text shown if there are no rows. */
  empty: string;
  keyOf(row: Row, index: number): string;
}) {
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    // biome-ignore lint/a11y/useSemanticElements: no fieldset, and no landmark for each table
    <div class="scroll" tabIndex={0} role="group" aria-label={caption}>
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" class={isNumber ? "number" : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row, index)}>
              {columns.map(({ title, cell, isNumber }) => (
                <td key={title} class={isNumber ? "number" : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Shows a long hex text without its middle, unless it is `whole`; addresses have their checksum. */
export function Hash({ value, page, whole }: { value: string; page?: string; whole?: boolean }) {
  const written = checksummed(value, live.state.chainId);
  const shown = whole || value.length <= 16 ? written : `${written.slice(0, 8)}…${written.slice(-6)}`;
  const text = (
    <span class={whole ? "hash whole" : "hash"} title={whole ? undefined : written}>
      {shown}
    </span>
  );
  return page === undefined ? text : <a href={linkTo(page, value)}>{text}</a>;
}

export function BlockLink({ number }: { number: number }) {
  return <a href={linkTo("block", String(number))}>{number.toLocaleString("en")}</a>;
}

/** A button that copies a text. */
export function Copy({ text, what, label = "Copy" }: { text: string; what: string; label?: string }) {
  const [outcome, setOutcome] = useState("");
  const copy = async () => {
    // Browsers have a clipboard for this machine and for HTTPS only.
    const isCopied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    setOutcome(isCopied ? "Copied" : "Cannot copy here");
    setTimeout(() => setOutcome(""), 1_500);
  };
  return (
    <button type="button" class="quiet" onClick={() => void copy()} aria-label={`Copy ${what}`}>
      <span aria-live="polite">{outcome || label}</span>
    </button>
  );
}

export type Tone = "good" | "bad" | "plain" | "accent";

export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** Names a part that a node does not offer, and the flag that enables it. */
export function Missing({ what, flag }: { what: string; flag: string }) {
  return (
    <p class="notice">
      This node does not offer {what}. Start it with <code>{flag}</code>, or see its writer if it is a replica.
    </p>
  );
}

export function Failed({ error }: { error: Error }) {
  return (
    <p class="notice bad" role="alert">
      {error.message}
    </p>
  );
}

/** Shows the data of a query, or its state while there are none. */
export function Loaded<T>({
  query,
  missing,
  children,
}: {
  query: Query<T>;
  /** Shown if the node does not have the method. */
  missing?: ComponentChildren;
  children(data: T): ComponentChildren;
}) {
  const { data, error } = query;
  if (data !== undefined) return <>{children(data)}</>;
  if (error === undefined) return <p class="empty">Loading…</p>;
  return isMissing(error) && missing !== undefined ? missing : <Failed error={error} />;
}

/** A part of a whole, as a bar with its text. */
export function Meter({ value, label }: { value: number; label: string }) {
  const percent = Math.min(Math.max(value, 0), 1) * 100;
  return (
    <span class="meter" role="img" aria-label={label}>
      <span style={{ width: `${percent}%` }} />
    </span>
  );
}
