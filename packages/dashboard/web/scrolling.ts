import { routeOf } from "./routes.js";

const STORED = "cambium-scroll";
/** Milliseconds for which a page may still grow to the height that it had. */
const PATIENCE = 3_000;

/** Vertical positions by the entries of the browser's history. */
const positions = new Map<string, number>(stored());
let entry = "";
let path = "";
let endRestoring: () => void = () => undefined;

/**
 * Shows a new page from its top, and a page that the user returns to at its former position. The browser cannot do so
 * itself: the content of the page arrives later.
 */
export function followScrolling(): void {
  history.scrollRestoration = "manual";
  arrive();
  addEventListener("popstate", arrive);
  addEventListener("scroll", () => positions.set(entry, scrollY), { passive: true });
  addEventListener("pagehide", () => sessionStorage.setItem(STORED, JSON.stringify([...positions].slice(-100))));
  for (const kind of ["wheel", "touchmove", "keydown"]) addEventListener(kind, () => endRestoring(), { passive: true });
}

function arrive(): void {
  endRestoring();
  const known = (history.state as { entry?: string } | null)?.entry;
  const { page, subject } = routeOf(location.hash);
  const isOtherPart = path === `${page}/${subject}`;
  path = `${page}/${subject}`;
  entry = known ?? crypto.getRandomValues(new Uint32Array(2)).join("-");
  if (known === undefined) {
    history.replaceState({ entry }, "");
    // Another part of a list begins at the position of the first one.
    if (!isOtherPart) scrollTo(0, 0);
    return;
  }
  restore(positions.get(entry) ?? 0);
}

/** Scrolls as soon as the page is high enough, unless the user scrolls first. */
function restore(top: number): void {
  const own = entry;
  const observer = new ResizeObserver(() => {
    positions.set(own, top);
    scrollTo(0, top);
    if (Math.abs(scrollY - top) < 2) endRestoring();
  });
  const timer = setTimeout(() => endRestoring(), PATIENCE);
  endRestoring = () => {
    observer.disconnect();
    clearTimeout(timer);
    endRestoring = () => undefined;
  };
  observer.observe(document.getElementById("page")!);
}

function stored(): [string, number][] {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? "[]");
  } catch {
    return [];
  }
}
