/** Rows of a page of a long list. */
export const ON_PAGE = 50;

/** The part of a list of `count` that the address names: indexes from `start` to below `end`. */
export interface Part {
  start: number;
  end: number;
  page: number;
  pages: number;
}

/** The first part, if the text is no number of a page. */
export function partOf(count: number, text: string | undefined): Part {
  const pages = Math.max(Math.ceil(count / ON_PAGE), 1);
  const wanted = /^\d{1,9}$/.test(text ?? "") ? Number(text) : 1;
  const page = wanted >= 1 && wanted <= pages ? wanted : 1;
  const start = (page - 1) * ON_PAGE;
  return { start, end: Math.min(start + ON_PAGE, count), page, pages };
}
