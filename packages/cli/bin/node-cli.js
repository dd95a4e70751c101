#!/usr/bin/env node
import "./compile-cache.js";

const { main } = await import("../bundle/program.js");
process.exitCode = await main(process.argv.slice(2));
