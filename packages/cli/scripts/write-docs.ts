import { writeFileSync } from "node:fs";
import { configurationPage } from "./configuration-page.js";

writeFileSync(new URL("../../../docs/configuration.md", import.meta.url), configurationPage());
