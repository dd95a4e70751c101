import { useEffect, useRef } from "preact/hooks";
import { artifacts } from "./artifacts/artifacts.js";
import { grouped } from "./format/numbers.js";
import { statusOf } from "./format/status.js";
import { live } from "./node/live.js";
import { useStore } from "./node/store.js";
import { NO_PAGE, PAGES, pageOf } from "./pages/index.js";
import { linkTo, useRoute } from "./routes.js";
import { KeyForm } from "./ui/key-form.js";
import { Search } from "./ui/search.js";
import { theme } from "./ui/theme.js";

export function App() {
  const route = useRoute();
  const page = pageOf(route.page) ?? NO_PAGE;
  const heading = useRef<HTMLHeadingElement>(null);
  const isFirst = useRef(true);
  const menu = useRef<HTMLElement>(null);
  const isNumbered = page.isDetail === true && /^\d+$/.test(route.subject);
  const title = isNumbered ? `${page.title} ${grouped(Number(route.subject))}` : page.title;
  useEffect(() => {
    document.title = `${title} · Cambium`;
    if (!isFirst.current) heading.current?.focus({ preventScroll: true });
    isFirst.current = false;
    // The menu of a narrow page is one line, which scrolls.
    const marked = menu.current?.querySelector<HTMLElement>("[aria-current]");
    menu.current?.scrollTo({ left: (marked?.offsetLeft ?? 0) - menu.current.clientWidth / 3 });
  }, [route.page, route.subject]);
  const { transport } = useStore(live);
  // A new artifact changes the names of calls and events on every page.
  useStore(artifacts);
  return (
    <>
      <button type="button" class="skip" onClick={() => heading.current?.focus()}>
        Skip to content
      </button>
      <header class="top">
        <a class="brand" href={linkTo("overview")}>
          <Rings />
          Cambium
        </a>
        <Search />
        <Height />
        <ThemeSwitch />
      </header>
      <nav aria-label="Pages" ref={menu}>
        <ul>
          {PAGES.filter(({ isDetail }) => !isDetail).map(({ name, title: text }) => (
            <li key={name}>
              <a href={linkTo(name)} aria-current={name === (page.parent ?? page.name) ? "page" : undefined}>
                {text}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main id="main" class={transport === "offline" ? "stale" : undefined}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {transport === "offline" && <Silence />}
        {transport === "needs key" ? (
          <KeyForm />
        ) : (
          <page.Page key={`${route.page}/${route.subject}`} subject={route.subject} />
        )}
      </main>
    </>
  );
}

/** The status of the node, and the height of its best block. */
function Height() {
  const state = useStore(live);
  const { height } = state;
  const { tone, title, detail } = statusOf(state);
  return (
    <div class="height">
      <span class={`dot ${tone}`} aria-hidden="true" />
      <span class="note">
        <span role="status">{title}</span>
        {detail !== undefined && <span class="wide">, {detail}</span>}
      </span>
      <span class="number" aria-live="polite">
        <span class="hidden">Block </span>
        {height === undefined ? "–" : `#${grouped(height)}`}
      </span>
    </div>
  );
}

/** Shows since when the node has been silent, and the time of the displayed data. */
function Silence() {
  const { lastAnswer } = useStore(live);
  if (lastAnswer === undefined) {
    return (
      <p class="notice bad" role="alert">
        The node does not answer. Check that it runs; the page asks again every few seconds.
      </p>
    );
  }
  return (
    <p class="notice bad" role="alert">
      The node has not answered since {new Date(lastAnswer).toLocaleTimeString("en-GB")}. Everything below is as it was
      then. Check that the node runs; the page asks again every few seconds.
    </p>
  );
}

function ThemeSwitch() {
  const { choice } = useStore(theme);
  return (
    <label class="theme">
      <span class="hidden">Colours</span>
      <select
        value={choice}
        onChange={(event) => theme.choose(event.currentTarget.value as "system" | "light" | "dark")}
      >
        <option value="system">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}

function Rings() {
  return (
    <svg
      viewBox="0 0 32 32"
      width="22"
      height="22"
      fill="none"
      stroke="currentColor"
      stroke-width="3"
      aria-hidden="true"
    >
      <circle cx="16" cy="16" r="13.5" />
      <circle cx="16" cy="16" r="8" />
      <circle cx="16" cy="16" r="2" fill="currentColor" />
    </svg>
  );
}
