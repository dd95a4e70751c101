import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { peerIdOf } from "@cambium/networking";
import { fromHex } from "@cambium/primitives";
import { withFolder } from "@cambium/test-utils/node-cli";
import { CliError } from "../src/errors.js";
import type { Given } from "../src/flags/flag.js";
import { convert, remarkOf } from "../src/from-rskj/convert.js";
import { type HoconObject, parseHocon } from "../src/from-rskj/hocon.js";
import { CONVERTED } from "../src/from-rskj/settings.js";
import { readRpcConfig } from "../src/rpc-config-file.js";
import { allSettings } from "../src/settings/apply-settings.js";
import { readSettings } from "../src/settings/settings-file.js";

function plain(object: HoconObject): unknown {
  const value = (content: unknown): unknown => {
    if (content instanceof Map) return plain(content as HoconObject);
    return Array.isArray(content) ? content.map((item) => value(item.content)) : content;
  };
  return Object.fromEntries([...object].map(([name, { content }]) => [name, value(content)]));
}

const parsed = (text: string) => plain(parseHocon("rsk.conf", text));

/** Line and reason of the error. */
function refusal(text: string): [number, string] {
  try {
    parseHocon("rsk.conf", text);
  } catch (error) {
    assert(error instanceof CliError && error.details.code === "CONFIG_FILE");
    const [{ line, reason }] = error.details.problems as [{ line: number; reason: string }];
    return [line, reason];
  }
  throw new Error(`no refusal: ${text}`);
}

describe("files of the deployed client", () => {
  it("are objects, dotted names, lists, strings and comments", () => {
    const text = `
      # a comment
      a = 1, b : two words // a comment
      c { d.e = "x # \\"y\\" \\u0041" , f = [ 1, "2"
        three four
        { g = [] } ] }
      c.d { h = true }
      "q.r" . s =
        "" # empty
      t = yes"no" maybe`;
    assert.deepEqual(parsed(text), {
      a: "1",
      b: "two words",
      c: { d: { e: 'x # "y" A', h: "true" }, f: ["1", "2", "three four", { g: [] }] },
      "q.r": { s: "" },
      t: "yesno maybe",
    });
    assert.deepEqual(parsed("{ a = 1 }\r\n"), { a: "1" });
    assert.deepEqual(parsed(""), {});
  });

  it("have the last value of a name; objects merge, and null removes it", () => {
    assert.deepEqual(parsed("a = 1\na = 2\nb { c = 1 }\nb { d = 2 }\ne.f = 1\ne = 2\ng = 1\ng = null"), {
      a: "2",
      b: { c: "1", d: "2" },
      e: "2",
    });
    assert.deepEqual(parsed('a { b = 1 }\na = 5\na.c = "null"'), { a: { c: "null" } });
  });

  it("have folders in the user's home", () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of references in such files.
    assert.deepEqual(parsed("a = ${user.home}/.rsk/mainnet/database"), { a: `${homedir()}/.rsk/mainnet/database` });
  });

  const refusals: [text: string, line: number, reason: RegExp][] = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of references in such files.
    ["a = 1\ndatabase.dir = ${base}/rsk", 2, /substitutions are not read; write the value in its place/],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of references in such files.
    ["a = x ${?b}", 1, /substitutions/],
    ['\n\ninclude "other.conf"', 3, /include is not read; put the content/],
    ["include file(x)", 1, /include is not read/],
    ["a += 1", 1, /'\+=' is not read; write the whole list/],
    ['a = """b"""', 1, /strings in """ are not read/],
    ["a { b = 1", 1, /the file ends too early/],
    ["a = ", 1, /the file ends too early/],
    ["a = [1", 1, /the file ends too early/],
    ["a", 1, /the file ends too early/],
    ["a = 1\n}", 2, /unexpected '}'/],
    ["a = http://b", 1, /unexpected ':'; text with such characters must be in quotes/],
    ["hosts = [*]", 1, /unexpected '\*'/],
    ['a = "b\n"', 1, /a string is not closed on its line/],
    ['a = "\\x"', 1, /invalid escape/],
    ["a = [1] [2]", 1, /unexpected '\['/],
    ["a = \u001b[1m", 1, /unexpected '\['/],
    [`${"a.".repeat(40)}b = 1`, 1, /nested deeper than 32/],
    [`a = ${"[".repeat(100_000)}`, 1, /nested deeper than 32/],
    [`${"a {".repeat(100_000)}`, 1, /nested deeper than 32/],
  ];
  for (const [text, line, reason] of refusals) {
    it(`are refused with the line: ${JSON.stringify(text.slice(0, 40))}`, () => {
      const [found, explanation] = refusal(text);
      assert.match(explanation, reason);
      assert.equal(found, line);
    });
  }
});

const ID =
  "a979fb575495b8d6db44f750317d0f4622bf4c2aa3365d6af7c284339968eef29b69ad0dce72a4d8db5ebb4968de0e3bec910127f134779fbcb0cb6d3331163c";
const PEER = peerIdOf(fromHex(ID))!;

/** A list with blanks between its items. */
function shown(value: Given): string | boolean {
  return Array.isArray(value) ? value.join(" ") : (value as string | boolean);
}

/** The settings that a node reads from the conversion, and its text. */
function converted(text: string) {
  return withFolder(async (folder) => {
    const toml = convert(parseHocon("rsk.conf", text)).toml();
    const path = join(folder, "node.toml");
    writeFileSync(path, toml);
    const values = readSettings(path, allSettings());
    return { toml, settings: Object.fromEntries(values.map(({ setting, value }) => [setting.key, shown(value)])) };
  });
}

describe("the conversion of a file of the deployed client", () => {
  const DEFAULTS = { network: "main", "rpc.compatibility": "deployed", "ws.enabled": false };

  it("has its defaults where those here differ", async () => {
    assert.deepEqual((await converted("")).settings, DEFAULTS);
    const { settings } = await converted('rpc.providers.web.http.bind_address = "0.0.0.0"');
    assert.deepEqual(settings, { ...DEFAULTS, "http.host": "0.0.0.0", "http.hosts": "*" });
  });

  it("has every setting with a counterpart, with its origin", async () => {
    const { settings, toml } = await converted(`
      blockchain.config.name = testnet
      peer {
        port = 50506, maxActivePeers = 40, filter.maxConnections = 8
        discovery { enabled = false, ip.list = ["node.example.org:50505"] }
        active = [ { ip = "192.0.2.1", port = 50505, nodeId = ${ID} }, { url = "enode://${ID}@192.0.2.2:5050" } ]
        trusted = [ { nodeId = ${ID} } ]
        bannedPeerIPs = ["192.0.2.9", "198.51.100.0/24"], bannedPeerIDs = [${ID}]
      }
      bind_address = 0.0.0.0, public.ip = "203.0.113.5"
      miner { minGasPrice = 23696000, server.enabled = true, reward.address = "${"ab".repeat(20)}" }
      targetgaslimit = 10000000
      wallet.enabled = false
      sync.snapshot { server.enabled = true, client.enabled = true }
      rpc.providers.web {
        cors = "https://dapp.example", http { port = 4446, hosts = ["node.example.org"], bind_address = localhost }
        ws { enabled = "true", bind_address = localhost, port = 4447 }
      }`);
    assert.deepEqual(settings, {
      network: "test",
      "p2p.rlpx-port": "50506",
      "p2p.max-peers": "40",
      "p2p.per-subnet": "8",
      "p2p.static": true,
      "p2p.bootnodes": "node.example.org:50505",
      "p2p.nodes": `enode://${ID}@192.0.2.1:50505 enode://${ID}@192.0.2.2:5050`,
      "p2p.trusted": PEER,
      "p2p.banned": `192.0.2.9 198.51.100.0/24 ${PEER}`,
      "p2p.host": "0.0.0.0",
      "p2p.rlpx-announce": "203.0.113.5",
      "miner.min-gas-price": "23696000",
      "miner.server": true,
      "miner.address": `0x${"ab".repeat(20)}`,
      "miner.gas-limit": "10000000",
      "wallet.enabled": false,
      "sync.serve": true,
      "sync.mode": "snapshot",
      "http.cors": "https://dapp.example",
      "http.port": "4446",
      "http.hosts": "node.example.org",
      "http.host": "localhost",
      "ws.enabled": true,
      "ws.host": "localhost",
      "ws.port": "4447",
      "rpc.compatibility": "deployed",
    });
    assert.match(toml, /rlpx-port = 50506 # peer\.port, line 4\n/);
  });

  it("mines on the local network as the deployed client does", async () => {
    const { settings } = await converted(
      "miner.client { enabled = true, delayBetweenBlocks = 2 seconds }\nblockchain.config.name = regtest",
    );
    assert.equal(settings["mine.interval"], "2000");
    const automatic = await converted(
      "miner.client { enabled = true, autoMine = true }\nblockchain.config.name = regtest",
    );
    assert.equal(automatic.settings["mine.enabled"], true);
    assert.match((await converted("miner.client.enabled = true")).toml, /networks local and dev only/);
  });

  it("names what has no counterpart, without its value", async () => {
    const { toml, settings } = await converted(
      'miner.coinbase.secret = hunter2\npeer.privateKey = hunter2\ncache { states { max-elements: 1 } }\nfoo."b\\na\\u001br\u009b" = hunter2\npeer.port = many',
    );
    assert.deepEqual(settings, DEFAULTS);
    assert.match(toml, /# - miner\.coinbase\.secret \(line 1\): set miner\.address/);
    assert.match(toml, /# - peer\.privateKey \(line 2\): the node makes a key/);
    assert.match(toml, /# - cache \(line 3\): caches are sized/);
    assert.match(toml, /# - foo\."b\\na\\u001br\ufffd" \(line 4\): is no known setting/);
    assert.match(toml, /# - peer\.port \(line 5\): expected a whole number/);
    assert.doesNotMatch(toml, /hunter2/);
  });

  it("leaves the network open if there is no such network", async () => {
    const { settings, toml } = await converted("blockchain.config.name = devnet");
    assert.equal(settings.network, undefined);
    assert.match(toml, /there is no such network here/);
  });

  /** The members of the JSON-RPC file, which must be valid. */
  function rpcOf(text: string) {
    return withFolder(async (folder) => {
      const { rpc } = convert(parseHocon("rsk.conf", text));
      writeFileSync(join(folder, "rpc.json"), JSON.stringify(rpc));
      readRpcConfig(join(folder, "rpc.json"));
      return rpc;
    });
  }

  it("shows the file for limits and modules of JSON-RPC", async () => {
    const text = `rpc {
      timeout = 3000, logs { maxBlocksToQuery = 1000, maxLogsToReturn = 0 }, allowCallStateOverride = true
      modules { rsk { version: "1.0", enabled: "true", methods: { disabled: [ "rsk_getStorageBytesAt", "rsk_shutdown" ] } }
        debug { enabled = "true", timeout = 5, methods.timeout { traceTransaction = 9 } }, foo { enabled = true } } }`;
    assert.deepEqual(await rpcOf(text), {
      timeout: 3000,
      logs: { maxBlocks: 1000, maxLogs: 0 },
      allowCallStateOverride: true,
      modules: {
        chain: { version: "1.0", enabled: true, disabledMethods: ["chain_getStorageBytesAt"] },
        debug: { enabled: true, timeout: 5, methodTimeouts: { traceTransaction: 9 } },
      },
    });
    const { toml } = await converted(text);
    assert.match(toml, /# {3}"timeout": 3000,/);
    assert.match(toml, /rpc\.modules\.foo \(line 4\): there is no such module/);
  });

  it("disables the modules that a list lacks, and those none of whose methods exist", async () => {
    const rpc = await rpcOf(
      'rpc.modules = [ { name: "eth", enabled: "true" }, { name: net, enabled: true, methods.enabled = [net_foo] } ]',
    );
    const modules = rpc.modules as Record<string, { enabled: boolean; enabledMethods?: string[] }>;
    assert.deepEqual(
      Object.keys(modules).filter((name) => modules[name]!.enabled),
      ["eth"],
    );
  });

  it("is in the page for operators, setting by setting", () => {
    const page = readFileSync(new URL("../../../docs/from-rskj.md", import.meta.url), "utf8");
    const groups = (name: string) => [name, name.slice(0, name.lastIndexOf("."))];
    for (const name of Object.keys(CONVERTED)) {
      assert.ok(
        groups(name).some((group) => page.includes(`\`${group}\``) || page.includes(`\`${group} = `)),
        name,
      );
    }
    const table = /## Settings\n[\s\S]*?---\|\n([\s\S]*?)\n## /.exec(page)![1]!;
    const rows = [...table.matchAll(/^\| (`.+?) \| (.+) \|$/gm)];
    assert.ok(rows.length > 20);
    for (const [, theirs, ours] of rows) {
      for (const [, name] of theirs!.matchAll(/`([\w.]+)[^`]*`/g)) {
        const isKnown = Object.hasOwn(CONVERTED, name!) || remarkOf(name!) !== undefined;
        assert.ok(isKnown, name);
      }
      for (const [, key] of ours!.matchAll(/`((?:http|ws|p2p|miner|mine|sync|state|wallet)\.[\w.-]+)[^`]*`/g)) {
        assert.ok(
          allSettings().some((setting) => setting.key === key),
          key,
        );
      }
    }
  });
});
