import { readFileSync, writeFileSync } from "node:fs";
import { floorsPage } from "./floors-page.js";

const PAGE = "docs/architecture.md";
writeFileSync(PAGE, floorsPage(readFileSync(PAGE, "utf8")));
