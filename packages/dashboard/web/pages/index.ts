import type { ComponentType } from "preact";
import { OverviewPage } from "./overview.js";

export interface Page {
  name: string;
  title: string;
  Page: ComponentType<{ subject: string }>;
  /** Whether it is about one thing, which its address names. */
  isDetail?: boolean;
  /** The page that the menu marks instead. */
  parent?: string;
}

export const PAGES: readonly Page[] = [{ name: "overview", title: "Overview", Page: OverviewPage }];

/** The overview, if there is no such page. */
export function pageOf(name: string): Page {
  return PAGES.find((page) => page.name === name) ?? PAGES[0]!;
}
