#!/usr/bin/env node
const { main } = await import("../bundle/program.js");
process.exitCode = await main(process.argv.slice(2));
