import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { runCli, withFolder } from "@cambium/test-utils/node-cli";
import { hasHaproxy } from "@cambium/test-utils/servers/haproxy";
import { hasNatsServer } from "@cambium/test-utils/servers/nats-server";
import { DockerfileParser, type JSONInstruction } from "dockerfile-ast";
import { validate } from "dockerfile-utils";
import { parse } from "yaml";
import { EXTERNAL } from "../../scripts/external-packages.js";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string) => readFileSync(join(REPOSITORY, path), "utf8");
const MANIFEST = JSON.parse(read("package.json"));
const ARCHIVE = `cambium-node-${MANIFEST.version}.tgz`;

async function run(program: string, parameters: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await promisify(execFile)(program, parameters, { cwd, maxBuffer: 2 ** 26 });
  return stdout;
}

/** Checks that the word after `npm run` is a script of the repository, and that every other command is npm's own. */
function assertNpmCommand(command: string): void {
  const [, script] = /^npm run (?:--silent )?(\S+)/.exec(command) ?? [];
  if (script === undefined) assert.match(command, /^npm (ci|pack|test)\b/);
  else assert.ok(script in MANIFEST.scripts, command);
}

/** Returns options in a command line that its command does not know. */
async function unknownOptions([command, ...words]: readonly string[]): Promise<string[]> {
  assert.match(command!, /^(start|replica)$/);
  const { stdout } = await runCli(command!, "--help");
  return words.filter((word) => word.startsWith("--") && !stdout.includes(`${word} `));
}

/** Asserts that the folders and files that services mount exist, or are volumes. `folder` is that of the file. */
function assertMounts(services: Record<string, Service>, volumes: object, folder: string): void {
  for (const { volumes: mounts = [] } of Object.values(services)) {
    for (const [source] of mounts.map((mount) => mount.split(":"))) {
      if (source!.startsWith(".")) assert.ok(existsSync(join(REPOSITORY, folder, source!)), source);
      else assert.ok(source! in volumes, source);
    }
  }
}

/** A step of a workflow. */
interface Step {
  id?: string;
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}

interface Service {
  command?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
}

describe("the assembled program", function () {
  this.timeout(120_000);
  let folder: string;
  let program: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-assembled-"));
    program = join(folder, "program");
    await run("npm", ["run", "--silent", "assemble", "--", program], REPOSITORY);
  });

  after(() => rmSync(folder, { recursive: true }));

  it("runs without the repository, with all that it loads", async () => {
    const cli = (...parameters: string[]) =>
      run(process.execPath, [join(program, "bin/node-cli"), ...parameters], folder);
    assert.equal((await cli("--version")).trim(), MANIFEST.version);
    const blocks = join(REPOSITORY, "test/vectors/chains/contracts.blocks.txt.gz");
    const imported = await cli("import", blocks, "--network", "local", "--data-dir", join(folder, "data"));
    assert.match(imported, /best block \d+/);
    for (const name of EXTERNAL) assert.ok(existsSync(join(program, "node_modules", name)), name);
    assert.ok(existsSync(join(program, "packages/dashboard/target/index.html")));
  });

  it("does not overwrite a folder that is not empty", async () => {
    await assert.rejects(run("npm", ["run", "--silent", "assemble", "--", program], REPOSITORY), /is not empty/);
  });

  it("is packed by npm to the same bytes each time, and installed from them without a registry", async () => {
    const digests = [];
    for (const name of ["first", "second"]) {
      const copy = join(folder, name);
      await run("npm", ["run", "--silent", "assemble", "--", copy], REPOSITORY);
      await run("npm", ["pack", "--silent"], copy);
      digests.push(
        createHash("sha256")
          .update(readFileSync(join(copy, ARCHIVE)))
          .digest("hex"),
      );
    }
    assert.equal(digests[0], digests[1]);
    const prefix = join(folder, "prefix");
    const archive = join(folder, "first", ARCHIVE);
    const quiet = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
    await run("npm", ["install", "--global", ...quiet, "--prefix", prefix, archive], folder);
    assert.equal((await run(join(prefix, "bin/node-cli"), ["--version"], folder)).trim(), MANIFEST.version);
  });
});

describe("the packages for a registry", function () {
  this.timeout(120_000);

  it("contain what they export, with types, and no tests or sources", async () => {
    const packed = await run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts", "--workspaces"], REPOSITORY);
    for (const { name, files } of JSON.parse(packed) as { name: string; files: { path: string }[] }[]) {
      const manifest = JSON.parse(read(`packages/${name.split("/")[1]}/package.json`));
      if (manifest.private) continue;
      const paths = files.map(({ path }) => path);
      for (const { types, default: module } of Object.values<Record<string, string>>(manifest.exports)) {
        if (module === undefined) continue;
        for (const file of [types!, module]) assert.ok(paths.includes(file.slice("./".length)), `${name}: ${file}`);
      }
      for (const file of Object.values<string>(manifest.bin ?? {})) assert.ok(paths.includes(file), `${name}: ${file}`);
      const modules = paths.filter((path) => /^lib\/.*\.js$/.test(path));
      for (const path of modules) assert.ok(paths.includes(path.replace(/js$/, "d.ts")), `${name}: types of ${path}`);
      assert.deepEqual(
        paths.filter((path) => /^(src|test|scripts)\/|\.test\.|tsbuildinfo|\/\./.test(path)),
        [],
        name,
      );
    }
  });

  it("are public, have the version of the release, and depend on exactly that version of each other", () => {
    for (const name of readdirSync(join(REPOSITORY, "packages"))) {
      const manifest = JSON.parse(read(`packages/${name}/package.json`));
      assert.equal(manifest.version, MANIFEST.version, name);
      if (manifest.private) continue;
      assert.equal(manifest.license, MANIFEST.license);
      assert.deepEqual(manifest.publishConfig, { access: "public" }, name);
      assert.ok(manifest.description, `${name} has a description`);
      for (const [dependency, range] of Object.entries(manifest.dependencies ?? {})) {
        if (dependency.startsWith("@cambium/")) assert.equal(range, MANIFEST.version, `${name}: ${dependency}`);
      }
    }
  });
});

describe("the image", () => {
  const text = read("Dockerfile");
  const instructions = DockerfileParser.parse(text).getInstructions();
  const of = (keyword: string) => instructions.filter((one) => one.getKeyword() === keyword);
  const words = (keyword: string) => {
    return (of(keyword)[0] as JSONInstruction).getJSONStrings().map((word) => word.getJSONValue());
  };

  it("is described without mistakes, runs as a user without rights, and has a health check", () => {
    assert.deepEqual(validate(text), []);
    assert.equal(of("USER").at(-1)?.getArgumentsContent(), "nonroot");
    assert.equal(of("HEALTHCHECK").length, 1);
    assert.match(of("FROM").at(-1)!.getArgumentsContent()!, /:nonroot\$/);
  });

  it("is released on base images with digests, or not at all", async () => {
    const bases = of("FROM").map((one) => one.getArgumentsContent()!);
    const names = bases.map((base) => /^\S+:[\w.-]+\$\{(\w+)\}( AS \w+)?$/.exec(base)?.[1]);
    assert.deepEqual(names, ["BUILD_DIGEST", "RUNTIME_DIGEST"]);
    const { steps } = parse(read(".github/workflows/release.yml")).jobs.image as { steps: Step[] };
    const builds = steps.filter(({ uses }) => uses?.startsWith("docker/build-push-action"));
    assert.equal(builds.length, 1);
    assert.match(String(builds[0]!.with?.["build-args"]), /^\$\{\{ steps\.base\.outputs\.arguments \}\}$/);
    assert.ok(steps.find(({ id }) => id === "base")?.run?.includes("$(sh packaging/base-images.sh)"));

    const script = join(REPOSITORY, "packaging/base-images.sh");
    const digest = `sha256:${"0123456789abcdef".repeat(4)}`;
    /** Runs the script with a fake program `docker`, which prints a text and ends with a status. */
    const resolved = (text: string, status = 0) =>
      withFolder(async (folder) => {
        writeFileSync(join(folder, "docker"), `#!/bin/sh\necho "$*" >&2\necho '${text}'\nexit ${status}\n`, {
          mode: 0o755,
        });
        const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
        return spawnSync("sh", [script], { cwd: folder, encoding: "utf8", env });
      });
    const { status, stdout, stderr } = await resolved(digest);
    assert.deepEqual([status, stdout], [0, names.map((name) => `${name}=@${digest}\n`).join("")]);
    for (const base of bases) assert.ok(stderr.includes(`inspect ${base.split("$")[0]} `), stderr);
    for (const text of ["", "latest", `${digest}0`, `${digest}\n${digest}`, digest.toUpperCase()]) {
      assert.notEqual((await resolved(text)).status, 0, text);
    }
    assert.notEqual((await resolved(digest, 1)).status, 0);
  });

  it("starts a node with options that exist, and serves on the ports that it names", async () => {
    const command = words("CMD");
    assert.deepEqual(await unknownOptions(command), []);
    const ports = of("EXPOSE")[0]!.getArgumentsContent()!.split(" ");
    // The port is set in the environment, so that the health check holds for any command.
    const metrics = /CAMBIUM_METRICS_PORT=(\d+)/.exec(of("ENV").at(-1)!.getArgumentsContent()!)![1]!;
    assert.ok(ports.includes(metrics));
    assert.ok(of("HEALTHCHECK")[0]!.getArgumentsContent()!.includes(`http://127.0.0.1:${metrics}/health`));
  });

  it("is built by the commands that a clean checkout is tested with, and by the one tested above", () => {
    const commands = of("RUN").map((one) => one.getArgumentsContent()!);
    assert.deepEqual(commands, ["npm ci", "npm run build", "npm run assemble -- /cambium", "mkdir --mode=700 /data"]);
  });
});

describe("the services of compose.yaml", () => {
  it("use files and options that exist", async () => {
    const { services, volumes } = parse(read("compose.yaml"));
    assert.deepEqual(await unknownOptions(services.node.command), []);
    assertMounts(services, volumes, ".");
    const { scrape_configs, rule_files } = parse(read("packaging/prometheus.yml"));
    const [host, port] = scrape_configs[0].static_configs[0].targets[0].split(":");
    assert.ok(host in services);
    assert.ok(services.node.command.includes(port));
    assert.deepEqual(rule_files, ["alerts.yml"]);
    for (const name of readdirSync(join(REPOSITORY, "packaging/grafana/provisioning"), { recursive: true })) {
      if (String(name).endsWith(".yml"))
        assert.equal(parse(read(`packaging/grafana/provisioning/${name}`)).apiVersion, 1);
    }
  });
});

describe("the services of packaging/cluster", () => {
  const folder = "packaging/cluster";
  const { services, volumes } = parse(read(`${folder}/compose.yaml`), { merge: true }) as {
    services: Record<string, Service>;
    volumes: object;
  };
  const nodes = Object.entries(services).filter(([name]) => /^(writer|replica)\d$/.test(name));

  it("use files, options and variables that exist", async () => {
    assertMounts(services, volumes, folder);
    assert.equal(nodes.length, 5);
    for (const [, { command, environment }] of nodes) {
      assert.deepEqual(await unknownOptions(command!), []);
      for (const name of Object.keys(environment!)) {
        assert.ok(read("docs/configuration.md").includes(`| \`${name}\` |`), name);
      }
    }
  });

  it("are known to HAProxy and Prometheus by their names", () => {
    const balanced = [...read(`${folder}/haproxy.cfg`).matchAll(/^ {2}server (\S+) (\S+)/gm)];
    assert.deepEqual(new Set(balanced.map(([, name]) => name)), new Set(nodes.map(([name]) => name)));
    for (const [, name, address] of balanced) assert.equal(address, `${name}:4444`);
    const { scrape_configs } = parse(read(`${folder}/prometheus.yml`));
    const [cambium, haproxy] = scrape_configs.map((one: Prometheus) => one.static_configs[0]!.targets);
    assert.deepEqual(
      cambium,
      nodes.map(([name]) => `${name}:9464`),
    );
    assert.deepEqual(haproxy, ["haproxy:8405"]);
  });

  it("have a configuration that HAProxy accepts", function () {
    if (!hasHaproxy()) this.skip();
    const { status, stderr } = spawnSync("haproxy", ["-c", "-f", join(REPOSITORY, folder, "haproxy.cfg")], {
      encoding: "utf8",
    });
    assert.equal(status, 0, stderr);
  });
});

describe("the passwords and the key of packaging/cluster", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "cambium-passwords-"));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  /** A copy of a script of the cluster, in the folder. */
  function script(name: string): string {
    copyFileSync(join(REPOSITORY, "packaging/cluster", name), join(folder, name));
    return join(folder, name);
  }

  const runScript = (...words: string[]) => spawnSync("sh", words, { encoding: "utf8" });
  const modeOf = (path: string) => statSync(path).mode & 0o777;

  it("are those that compose.yaml and nats.conf ask for, and are not overwritten", function () {
    assert.equal(runScript(script("create-passwords.sh")).status, 0);
    assert.equal(modeOf(join(folder, ".env")), 0o600);
    const lines = readFileSync(join(folder, ".env"), "utf8").trim().split("\n");
    const passwords = Object.fromEntries(lines.map((line) => line.split("=") as [string, string]));
    assert.equal(new Set(Object.values(passwords)).size, lines.length);
    for (const text of [read("packaging/cluster/compose.yaml"), read("packaging/cluster/nats.conf")]) {
      for (const [name] of text.matchAll(/NATS_\w+_PASSWORD/g)) assert.match(passwords[name] ?? "", /^p[0-9a-f]{32}$/);
    }
    assert.equal(runScript(join(folder, "create-passwords.sh")).status, 1);
    assert.equal(readFileSync(join(folder, ".env"), "utf8").trim(), lines.join("\n"));
    if (!hasNatsServer()) this.skip();
    const config = join(REPOSITORY, "packaging/cluster/nats.conf");
    const env = { ...process.env, ...passwords };
    const { status, stderr } = spawnSync("nats-server", ["-c", config, "-t"], { env, encoding: "utf8" });
    assert.equal(status, 0, stderr);
  });

  it("are a key that nodes accept, and that is kept", function () {
    if (process.getuid?.() !== 0) this.skip();
    const key = join(folder, "key");
    assert.equal(runScript(script("create-key.sh"), key).status, 0);
    assert.deepEqual([statSync(key).uid, modeOf(key)], [65_532, 0o600]);
    const first = readFileSync(key, "utf8");
    assert.match(first, /^[0-9a-f]{64}$/);
    assert.equal(runScript(join(folder, "create-key.sh"), key).status, 0);
    assert.equal(readFileSync(key, "utf8"), first);
  });
});

/** A job of Prometheus. */
interface Prometheus {
  static_configs: { targets: string[] }[];
}

describe("the workflows", () => {
  it("run commands of the repository", () => {
    const folder = ".github/workflows";
    for (const name of readdirSync(join(REPOSITORY, folder))) {
      const { jobs } = parse(read(`${folder}/${name}`));
      for (const { steps } of Object.values<{ steps: { run?: string }[] }>(jobs)) {
        for (const { run: command } of steps) if (command?.startsWith("npm ")) assertNpmCommand(command);
      }
    }
  });
});

describe("the service of systemd", () => {
  const unit = read("packaging/cambium.service");
  const start = /^ExecStart=(\S+) (.*)$/m.exec(unit)!;

  it("sets variables that exist", () => {
    assert.equal(start[2], "start");
    const variables = [...unit.matchAll(/\b(CAMBIUM_\w+)=/g)].map(([, name]) => name!);
    assert.ok(variables.length > 0);
    for (const name of variables) assert.ok(read("docs/configuration.md").includes(`\`${name}\``), name);
  });

  it("is accepted by systemd, as one that is exposed little", function () {
    if (spawnSync("systemd-analyze", ["--version"]).status !== 0) this.skip();
    const folder = mkdtempSync(join(tmpdir(), "cambium-unit-"));
    try {
      const path = join(folder, "cambium.service");
      writeFileSync(path, unit.replace(start[1]!, process.execPath));
      for (const check of [["verify"], ["security", "--offline=true", "--threshold=20"]]) {
        const { status, stdout, stderr } = spawnSync("systemd-analyze", [...check, path], { encoding: "utf8" });
        assert.equal(status, 0, `${stdout}${stderr}`);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
