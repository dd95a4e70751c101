import { existsSync, mkdirSync } from "node:fs";
import * as module from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

/** Creates a private folder in an existing one. Throws if it cannot be created. */
function makeFolder(path) {
  // Without `recursive`, which does not end below some folders of the system.
  if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
  return path;
}

// Keeps compiled code for later starts, with Node.js 22.8 or newer. The shared temporary folder does not serve: other
// users of the machine could replace the code.
try {
  module.enableCompileCache?.(makeFolder(join(makeFolder(join(homedir(), ".cambium")), "compile-cache")));
} catch {
  // The user has no folder that can be written: the code is compiled at each start.
}
