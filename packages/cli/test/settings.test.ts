import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withFolder } from "@cambium/test-utils/node-cli";
import { Command } from "commander";
import { configurationPage } from "../scripts/configuration-page.js";
import { startCommand } from "../src/commands/start.js";
import { CliError, explainCliError } from "../src/errors.js";
import { commandValues } from "../src/flags/command-flags.js";
import { allSettings, applySettings, originsOf, unknownVariables } from "../src/settings/apply-settings.js";
import { readSettings } from "../src/settings/settings-file.js";
import { settingsText } from "../src/settings/settings-text.js";
import { START_FLAGS, type StartOptions } from "../src/start-flags.js";

function startOptions(): Command {
  const command = new Command("start").exitOverride();
  startCommand(command);
  return command.action(() => undefined);
}

/** The values of the flags of `start`. */
function parsed(flags: readonly string[], environment: Record<string, string> = {}): StartOptions {
  const command = startOptions();
  applySettings(command, flags, environment);
  return commandValues(command.parse(flags, { from: "user" }), START_FLAGS);
}

async function withFile<T>(text: string, use: (path: string) => T): Promise<T> {
  return withFolder(async (folder) => {
    const path = join(folder, "node.toml");
    writeFileSync(path, text);
    return use(path);
  });
}

/** Lines and reasons of the problems of a file. */
function problemsOf(text: string): Promise<[number, string][]> {
  return withFile(text, (path) => {
    try {
      readSettings(path, allSettings());
      return [];
    } catch (error) {
      assert(error instanceof CliError && error.details.code === "CONFIG_FILE");
      return error.details.problems.map(({ line, reason }) => [line, reason]);
    }
  });
}

describe("settings", () => {
  it("are all flags of start, each with a key and a variable of its own", () => {
    const settings = allSettings();
    const flags = startOptions().options.filter(({ hidden, long }) => !hidden && long !== "--config");
    const names = new Set(flags.map(({ long }) => long!.replace(/^--(no-)?/, "")));
    assert.equal(settings.length, names.size);
    assert.equal(new Set(settings.map(({ key }) => key)).size, settings.length);
    assert.equal(new Set(settings.map(({ variable }) => variable)).size, settings.length);
    for (const { key } of settings) {
      assert(!settings.some((other) => other.key.startsWith(`${key}.`)), `${key} is a value and a table`);
    }
  });

  it("are in groups in the help, the ten that matter first", () => {
    const groups = startOptions()
      .helpInformation()
      .split(/\n\n(?=[A-Z])/);
    const [first, ...others] = groups.filter((group) => group.includes("\n  --"));
    const names = (group: string) => [...group.matchAll(/^ {2}--([\w.-]+)/gm)].map(([, name]) => name);
    assert.match(first!, /^Options:/);
    assert.equal(names(first!).length, 10);
    assert.deepEqual(names(first!).slice(0, 2), ["network", "data-dir"]);
    assert.deepEqual(
      others.map((group) => group.split(":")[0]),
      ["JSON-RPC", "Mining", "Peers", "Synchronisation", "Storage", "Log and monitoring", "Replicas"],
    );
  });

  it("are taken from flag, environment, file and default, in this order", async () => {
    const file = 'network = "local"\n[http]\nport = 1\nhost = "file"\n[ws]\nport = 2\n';
    await withFile(file, (path) => {
      const environment = { CAMBIUM_HTTP_PORT: "3", CAMBIUM_HTTP_HOST: "variable", CAMBIUM_WS_PORT: "" };
      const options = parsed(["--config", path, "--http.port", "4"], environment);
      assert.equal(options["http.port"], 4);
      assert.equal(options["http.host"], "variable");
      assert.equal(options["ws.port"], 2);
      assert.equal(options["metrics.host"], "127.0.0.1");
      assert.equal(options.network, "local");
      const named = parsed([], { CAMBIUM_CONFIG: path, CAMBIUM_NETWORK: "dev" });
      assert.deepEqual([named.network, named["http.port"]], ["dev", 1]);
    });
  });

  it("switch on and off", async () => {
    await withFile("[mine]\nenabled = true\n[ws]\nenabled = false\n[p2p]\nenabled = false\n", (path) => {
      const flags = ["--network", "local", "--config", path];
      const options = parsed(flags);
      assert.deepEqual([options.mine, options.ws, options.p2p], [true, false, false]);
      const overridden = parsed(flags, { CAMBIUM_MINE: "false", CAMBIUM_WS: "1", CAMBIUM_P2P: "true" });
      assert.deepEqual([overridden.mine, overridden.ws, overridden.p2p], [false, true, true]);
      const byFlags = parsed([...flags, "--no-mine", "--ws"]);
      assert.deepEqual([byFlags.mine, byFlags.ws], [false, true]);
    });
    assert.throws(() => parsed(["--network", "local"], { CAMBIUM_MINE: "maybe" }), /CAMBIUM_MINE/);
  });

  it("take a list by repetition, in several words, and with spaces or commas", () => {
    const network = ["--network", "main"];
    const nodes = ["enode://a@b:1", "enode://c@d:2", "enode://e@f:3"];
    const [first, second, third] = nodes as [string, string, string];
    for (const flags of [
      ["--p2p.nodes", first, "--p2p.nodes", second, "--p2p.nodes", third],
      ["--p2p.nodes", first, second, third],
      ["--p2p.nodes", `${first},${second}`, "--p2p.nodes", third],
      [`--p2p.nodes=${first} ${second}, ${third}`],
    ]) {
      assert.deepEqual(parsed([...flags, ...network])["p2p.nodes"], nodes, flags.join(" "));
    }
    assert.deepEqual(parsed(network, { CAMBIUM_P2P_NODES: nodes.join(",") })["p2p.nodes"], nodes);
    const replaced = parsed([...network, "--p2p.nodes", first], { CAMBIUM_P2P_NODES: second });
    assert.deepEqual(replaced["p2p.nodes"], [first]);
    assert.deepEqual(parsed([...network, "--log.level", "warn", "--log.level", "p2p=debug"])["log.level"], [
      "warn",
      "p2p=debug",
    ]);
  });

  it("take one value where there is one", () => {
    const isRefused = (error: unknown) => error instanceof CliError && error.code === "REPEATED_OPTION";
    for (const flags of [
      ["--network", "main", "--network", "main"],
      ["--http.port", "1", "--http.port=2"],
      ["--sync.mode", "full", "--sync.mode", "snapshot"],
    ]) {
      assert.throws(() => parsed(flags), isRefused, flags.join(" "));
    }
    assert.equal(parsed(["--network", "main"], { CAMBIUM_NETWORK: "test" }).network, "main");
  });

  it("have integers, lists and choices in a file", async () => {
    const text = `
      miner.min-gas-price = 123456789012345678901234
      [p2p]
      bootnodes = ["/ip4/192.0.2.1/tcp/1/p2p/a", "b:1"]
      [state]
      history = "all"
      [log]
      format = "json"
    `;
    await withFile(text, (path) => {
      const options = parsed(["--network", "local", "--config", path]);
      assert.equal(options["miner.min-gas-price"], 123456789012345678901234n);
      assert.deepEqual(options["p2p.bootnodes"], ["/ip4/192.0.2.1/tcp/1/p2p/a", "b:1"]);
      assert.equal(options["state.history"], "all");
      assert.equal(options["log.format"], "json");
    });
  });

  it("report every problem of a file with its line, and a suggestion", async () => {
    const text = `netwrk = "main"
data-dir = 5
mine = true

[http]
# port = 1
prt = 4444
port = "4444"
hosts = [1]
[ "log" ]
format = "xml"
[nothing.at]
all = 1
`;
    assert.deepEqual(await problemsOf(text), [
      [1, "unknown key netwrk; did you mean network?"],
      [2, "data-dir: expected a string, found an integer"],
      [3, "unknown key mine; did you mean mine.enabled?"],
      [7, "unknown key http.prt; did you mean http.port?"],
      [8, "http.port: expected an integer, found a string"],
      [9, "http.hosts: expected a list of strings, found a list"],
      [11, "log.format: expected one of text, json"],
      [13, "unknown key nothing.at.all"],
    ]);
  });

  it("are read in a moment however large the file is, and name twenty problems at most", async () => {
    const keys = Array.from({ length: 50_000 }, (_, i) => `k${i} = 1`);
    assert.deepEqual((await problemsOf(keys.join("\n"))).at(-1), [20, "unknown key k19"]);
    const deep = `a${".a".repeat(500)}`;
    assert.deepEqual(await problemsOf(`\n${deep} = 1\n`), [[2, `unknown key ${deep.slice(0, 80)}…`]]);
    assert.deepEqual(await problemsOf(`log.file = """\n[${" ".repeat(500_000)}\n"""\nx = 1`), [[4, "unknown key x"]]);
    await assert.rejects(problemsOf("\n".repeat(2 ** 20 + 1)));
  });

  it("report the line at which a file is no TOML", async () => {
    const [[line, reason]] = (await problemsOf('network = "main"\n[http\nport = 1\n')) as [[number, string]];
    assert.equal(line, 2);
    assert.equal(reason.includes("\n"), false);
  });

  it("say that a file is JSON or YAML", async () => {
    for (const [text, format] of [
      ['{ "network": "main" }', "JSON"],
      ["# A node.\n\nnetwork: main\n", "YAML"],
      ["---\nnetwork: main\n", "YAML"],
    ] as const) {
      const [[, reason]] = (await problemsOf(text)) as [[number, string]];
      assert.equal(reason, `this looks like ${format}: the file must be TOML, with lines such as network = "main"`);
    }
  });

  it("are suggested for variables that are none", () => {
    const environment = {
      CAMBIUM_HTPP_PORT: "1",
      CAMBIUM_SOMETHING: "1",
      CAMBIUM_HTTP_PORT: "1",
      CAMBIUM_CONFIG: "",
      HOME: "/",
    };
    assert.deepEqual(unknownVariables(startOptions(), environment), [
      "CAMBIUM_HTPP_PORT in the environment is not a setting; did you mean CAMBIUM_HTTP_PORT?",
      "CAMBIUM_SOMETHING in the environment is not a setting",
    ]);
  });

  it("take IPv6 addresses in brackets", () => {
    const flags = ["--http.host", "[::1]", "--ws.host", "::1", "--metrics.host", "[fd00::1]"];
    const values = parsed(["--network", "main", ...flags]);
    assert.deepEqual([values["http.host"], values["ws.host"], values["metrics.host"]], ["::1", "::1", "fd00::1"]);
  });

  it("are printed as a file that says the same, without passwords, tokens and keys", async () => {
    const secret = "hunter2";
    const text = `network = "main"
[rpc]
redis = "redis://user:${secret}@host:1/0?password=${secret}"
[p2p]
host = ["::"]
[miner]
partners = "http://a:1/${secret}-of-a http://b:2/v1/${secret}-of-b?apikey=${secret} http://c:3/v1"
[replicate]
servers = ["nats://${secret}@a:4222", "tls://user:${secret}@b:4222"]
`;
    await withFile(text, async (path) => {
      const command = startOptions();
      applySettings(command, ["--config", path], { CAMBIUM_HTTP_PORT: "5" });
      const dump = settingsText(command, originsOf(command));
      assert(!dump.includes(secret));
      assert.match(dump, /^network = "main" # node\.toml, line 1$/m);
      assert.match(dump, /^port = 5 # CAMBIUM_HTTP_PORT$/m);
      assert.match(dump, /^redis = "redis:\/\/user:\*\*\*@host:1\/0\?password=\*\*\*" # node\.toml, line 3$/m);
      assert.match(dump, /^host = \["::"\] # node\.toml, line 5$/m);
      assert.match(
        dump,
        /^partners = \["http:\/\/a:1\/\*\*\*","http:\/\/b:2\/v1\/\*\*\*\?apikey=\*\*\*","http:\/\/c:3\/v1"\] #/m,
      );
      assert.match(dump, /^servers = \["nats:\/\/\*\*\*@a:4222","tls:\/\/user:\*\*\*@b:4222"\] #/m);
      await withFile(dump, (again) => {
        const values = readSettings(again, allSettings());
        assert.equal(values.find(({ setting }) => setting.key === "http.port")!.value, "5");
      });
    });
  });

  it("are refused without showing passwords, tokens and keys", () => {
    const secret = "hunter2-hunter2";
    for (const value of [
      `nats://u:${secret}@h/x`,
      `nats://${secret}@h/x`,
      `http://h/${secret}`,
      `h://[?key=${secret}`,
    ]) {
      const error = new CliError({
        code: "INVALID_OPTION",
        option: "--replicate",
        value,
        expected: "nats://host:port",
      });
      for (const text of [explainCliError(error), error.message]) assert(!text.includes(secret), text);
    }
  });

  it("docs/configuration.md is up to date", () => {
    const page = readFileSync(new URL("../../../docs/configuration.md", import.meta.url), "utf8");
    assert.equal(page, configurationPage(), "docs/configuration.md is stale: run `npm run docs`");
  });
});
