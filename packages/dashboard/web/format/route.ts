/** `#/block/12?page=3` is `{ page: "block", subject: "12", options: { page: "3" } }`. */
export interface Route {
  page: string;
  subject: string;
  /** Parameters of the page, such as the number of a table's page. */
  options: Readonly<Record<string, string>>;
}

export function routeOf(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#?\/?/, "").split("?");
  const [page = "", ...rest] = path.split("/");
  return {
    page: page || "overview",
    subject: decoded(rest.join("/")),
    options: Object.fromEntries(new URLSearchParams(query)),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function linkTo(page: string, subject = "", options: Route["options"] = {}): string {
  const query = new URLSearchParams(options).toString();
  return `#/${page === "overview" ? "" : page}${subject && `/${encodeURIComponent(subject)}`}${query && `?${query}`}`;
}
