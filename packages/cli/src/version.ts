import { readFileSync } from "node:fs";

/** Version of the package, as `--version` prints it. */
export const VERSION: string = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
