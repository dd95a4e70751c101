/** How lines are shown. */
export interface LineStyle {
  /** Whether the terminal shows colours. */
  hasColour: boolean;
  /** Whether details follow each line. */
  isVerbose: boolean;
}

/** The parts of a line, the outcome first. */
export interface LineParts {
  isSuccess: boolean;
  /** The call, payment or creation. */
  what: string;
  gas?: number | undefined;
  /** Reason of the failure, or the emitted events. */
  result?: string | undefined;
  /** Reference to the source: the hash of a transaction, or the method of a request. */
  origin: string;
}

const COLUMNS = 120;
/** Columns that a shortened part keeps. */
const LEAST_COLUMNS = 24;
const GAP = "  ";

const GREEN = 32;
const RED = 31;
const GREY = 90;

/** One line of at most 120 columns. */
export function lineOf({ isSuccess, what, gas, result = "", origin }: LineParts, { hasColour }: LineStyle): string {
  const mark = isSuccess ? "✓" : "✗";
  const used = gas === undefined ? "" : `${grouped(gas)} gas`;
  const fixed = [used, origin].filter((part) => part !== "");
  const room = COLUMNS - `${mark} ${fixed.map((part) => GAP + part).join("")}`.length;
  const [shownWhat, shownResult] = fitted(what, result, room);
  const paint = (text: string, colour: number) => (hasColour && text !== "" ? `\x1b[${colour}m${text}\x1b[0m` : text);
  const parts = [
    `${paint(mark, isSuccess ? GREEN : RED)} ${shownWhat}`,
    paint(used, GREY),
    isSuccess ? shownResult : paint(shownResult, RED),
    paint(origin, GREY),
  ];
  return parts.filter((part) => part !== "").join(GAP);
}

/** Shortens the longer part until both fit. */
function fitted(what: string, result: string, room: number): [what: string, result: string] {
  if (result === "") return [cut(what, room), ""];
  const both = room - GAP.length;
  const rest = Math.max(both - what.length, LEAST_COLUMNS);
  const shown = cut(result, rest);
  return [cut(what, both - shown.length), shown];
}

function cut(text: string, columns: number): string {
  return text.length <= columns ? text : `${text.slice(0, columns - 1)}…`;
}

/** `43 590`. */
function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, " ");
}
