import { useEffect, useState } from "preact/hooks";

/** `#/block/12` is `{ page: "block", subject: "12" }`. */
export interface Route {
  page: string;
  subject: string;
}

export function routeOf(hash: string): Route {
  const [page = "", ...rest] = hash.replace(/^#?\/?/, "").split("/");
  return { page: page || "overview", subject: decoded(rest.join("/")) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function linkTo(page: string, subject = ""): string {
  return `#/${page === "overview" ? "" : page}${subject && `/${encodeURIComponent(subject)}`}`;
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return routeOf(hash);
}
