import { grouped } from "../format/numbers.js";
import { type Part, partOf } from "../format/parts.js";
import { linkTo, useRoute } from "../routes.js";

/** `option` is the name of the page's number in the address: `?page=2`. An invalid number selects the first page. */
export function usePart(count: number, option: string): Part {
  const { options } = useRoute();
  return partOf(count, options[option]);
}

/** Links to the pages of a list; nothing for a single one. `what` names the list. */
export function Pager({ part: { page, pages, start, end }, count, option, what }: PagerProps) {
  const { page: name, subject, options } = useRoute();
  if (pages === 1) return null;
  const link = (to: number) => linkTo(name, subject, { ...options, [option]: String(to) });
  return (
    <nav class="row pager parts" aria-label={`Pages of ${what}`}>
      {page > 1 ? <a href={link(page - 1)}>← Previous</a> : <span />}
      <span class="note">
        {grouped(start + 1)} to {grouped(end)} of {grouped(count)}
      </span>
      {page < pages ? <a href={link(page + 1)}>Next →</a> : <span />}
    </nav>
  );
}

interface PagerProps {
  part: Part;
  count: number;
  option: string;
  what: string;
}
