import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort, toolPath, withChain } from "./suites/chains.js";
import { isInstalled } from "./tours/commands.js";

const DOCUMENT = readFileSync(new URL("../../docs/local-network.md", import.meta.url), "utf8");
const FOLDER = fileURLToPath(new URL("build/tutorial", import.meta.url));
const NODE_CLI = fileURLToPath(new URL("../../bin/node-cli", import.meta.url));
const SOLC = fileURLToPath(new URL("suites/solc.mjs", import.meta.url));
const URL_OF_CHAIN = "http://127.0.0.1:4444";
/** Hardhat would download the compiler; the test uses the one of npm. */
const OWN_COMPILER = `
require("hardhat/config").subtask("compile:solidity:solc:get-build", async () => {
  return { compilerPath: require.resolve("solc/soljson.js"), isSolcJs: true, version: "0.8.35", longVersion: "0.8.35" };
});
`;

/** A part of the tutorial. */
type Step = { kind: "file"; path: string; content: string } | { kind: "commands"; text: string };

/** Files, each named before its block, and commands, in the order of the text. */
function stepsOf(section: string): Step[] {
  const blocks = section.matchAll(/(?:^`([\w./-]+)`[^\n]*:\n\n)?^```(\w+)\n(.*?)^```$/gms);
  return [...blocks].map(([, path, language, content]) => {
    if (language === "sh") return { kind: "commands", text: content! };
    assert(path !== undefined, `a file without a name: ${content}`);
    return { kind: "file", path, content: content! };
  });
}

const section = DOCUMENT.match(/^## From nothing to a tested contract\n(.*?)^## /ms)?.[1];

/** Returns the output of a shell for commands; it starts in a folder and reports its final one. */
function shell(commands: string, cwd: string): Promise<{ output: string; cwd: string }> {
  const env = {
    ...process.env,
    PATH: `${dirname(toolPath("forge"))}:${process.env.PATH}`,
    FOUNDRY_SOLC: SOLC,
    HARDHAT_DISABLE_TELEMETRY_PROMPT: "true",
  };
  const child = spawn("bash", ["-euo", "pipefail", "-c", `${commands}\necho; pwd`], { cwd, env });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => {
      if (status !== 0) reject(new Error(`${commands}: status ${status}: ${output}`));
      else resolve({ output, cwd: output.trimEnd().split("\n").at(-1)! });
    });
  });
}

/** The packages of `npm install` lines must be installed for this test; the lines themselves are left out. */
function withoutInstallations(text: string): string {
  const { resolve } = createRequire(join(FOLDER, "package.json"));
  const isFound = (name: string) => resolve.paths(name)!.some((folder) => existsSync(join(folder, name)));
  const lines = text.split("\n").filter((line) => {
    if (!line.startsWith("npm install ")) return true;
    const words = line
      .split(" ")
      .slice(2)
      .filter((word) => !word.startsWith("-"));
    const names = words.map((word) => word.replace(/(?<=.)@[\d.]+$/, ""));
    assert.deepEqual(
      names.filter((name) => !isFound(name)),
      [],
      "packages that are not installed",
    );
    return false;
  });
  return lines.join("\n");
}

/** Follows the tutorial of docs/local-network.md literally, with packages that are already installed. */
describe("the tutorial", function () {
  this.timeout(600_000);
  const missing = ["forge", "cast", "hardhat"].filter((name) => !isInstalled(toolPath(name)));
  if (missing.length > 0) {
    it.skip(`needs ${missing.join(", ")}, not installed here`);
    return;
  }

  it("leads from nothing to a contract that is tested and deployed with Hardhat, Foundry and viem", async () => {
    assert(section !== undefined);
    rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FOLDER, { recursive: true });
    const steps = stepsOf(section);
    const start = steps.findIndex((step) => step.kind === "commands" && step.text.includes("npm start"));
    const options = (steps[start] as { text: string }).text.match(/npm start -- (.*)/)![1]!.split(" ");
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const before = await follow(steps.slice(0, start), FOLDER, url);
    const chain = {
      name: "Cambium",
      command: process.execPath,
      // The working folder is next to the project's.
      cwd: before.cwd,
      args: () => [NODE_CLI, "dev", ...options, "--http.port", `${port}`],
    };
    const { output } = await withChain(chain, () => follow(steps.slice(start + 1), before.cwd, url), port);
    for (const text of ["2 passing", "Counter#Counter - 0x", "1 passed", "success 42n", "\n42\n"]) {
      assert(output.includes(text), `expected ${text} in ${output}`);
    }
  });
});

async function follow(steps: readonly Step[], folder: string, url: string): Promise<{ cwd: string; output: string }> {
  let [cwd, output] = [folder, ""];
  for (const step of steps) {
    if (step.kind === "file") {
      const path = join(cwd, step.path);
      mkdirSync(dirname(path), { recursive: true });
      const more = step.path.startsWith("hardhat.config") ? OWN_COMPILER : "";
      writeFileSync(path, step.content.replaceAll(URL_OF_CHAIN, url) + more);
      continue;
    }
    const done = await shell(withoutInstallations(step.text).replaceAll(URL_OF_CHAIN, url), cwd);
    output += done.output;
    cwd = done.cwd;
  }
  return { cwd, output };
}
