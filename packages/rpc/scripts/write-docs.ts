import { writeFileSync } from "node:fs";
import { jsonRpcPage } from "./json-rpc-page.js";

writeFileSync(new URL("../../../docs/json-rpc.md", import.meta.url), jsonRpcPage());
process.exit(0);
