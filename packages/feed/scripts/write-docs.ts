import { readFileSync, writeFileSync } from "node:fs";
import { feedPage } from "./feed-page.js";

const path = new URL("../../../docs/feeds.md", import.meta.url);
writeFileSync(path, feedPage(readFileSync(path, "utf8")));
