import { spawnSync } from "node:child_process";
import { type Browser, chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** Finds the program of a Chromium: `CAMBIUM_CHROMIUM`, or one in the path. Returns undefined if there is none. */
export function findChromium(): string | undefined {
  const named = process.env.CAMBIUM_CHROMIUM;
  if (named !== undefined && named !== "") return named;
  return NAMES.find((name) => spawnSync(name, ["--version"]).status === 0);
}

/** Opens a browser; Playwright needs a path. */
export function openBrowser(program: string): Promise<Browser> {
  const path = program.includes("/") ? program : spawnSync("which", [program], { encoding: "utf8" }).stdout.trim();
  // The sandbox needs rights that containers and root lack; only this machine's node is opened.
  return chromium.launch({ executablePath: path, args: ["--no-sandbox"] });
}
