import { Store } from "../node/store.js";

export type Theme = "system" | "light" | "dark";

const KEY = "cambium-theme";
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

interface ThemeState {
  /** Theme that the user has chosen. */
  choice: Theme;
  /** Shade that results from the choice. */
  shade: "light" | "dark";
}

class ThemeStore extends Store<ThemeState> {
  constructor() {
    super(stateOf(readChoice()));
    this.apply();
    prefersDark.addEventListener("change", () => this.choose(this.state.choice));
  }

  choose(choice: Theme): void {
    try {
      localStorage.setItem(KEY, choice);
    } catch {
      // Storage is switched off: the choice is for this page only.
    }
    const next = stateOf(choice);
    this.apply(next);
    this.update(next);
  }

  private apply({ choice } = this.state): void {
    if (choice === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = choice;
  }
}

function readChoice(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    return stored === "light" || stored === "dark" ? stored : "system";
  } catch {
    return "system";
  }
}

function stateOf(choice: Theme): ThemeState {
  return { choice, shade: choice === "system" ? (prefersDark.matches ? "dark" : "light") : choice };
}

export const theme = new ThemeStore();
