import { peerIdOf } from "@cambium/networking";
import { fromHex, parseIp } from "@cambium/primitives";
import { booleanOf, type Conversion, type Found, integerOf, memberOf, textOf, wordsOf } from "./conversion.js";
import type { HoconValue } from "./hocon.js";
import { convertModules } from "./rpc-modules.js";

type Convert = (found: Found, conversion: Conversion) => void;

/** Networks by their names there. */
const NETWORKS: Readonly<Record<string, string>> = { main: "main", testnet: "test", regtest: "local" };

const integer = (key: string): Convert => converted(key, integerOf, "a whole number");
const boolean = (key: string): Convert => converted(key, booleanOf, "true or false");
const text = (key: string): Convert => converted(key, textOf, "text");
const words = (key: string): Convert => converted(key, wordsOf, "a list of texts without blanks");

function converted(
  key: string,
  read: (value: HoconValue) => string | number | boolean | string[] | undefined,
  expected: string,
): Convert {
  return (found, conversion) => {
    const value = read(found.value);
    if (value === undefined) conversion.remark(found, `expected ${expected}`);
    else conversion.set(key, value, found);
  };
}

/** A number, or with `false` a boolean, of the JSON-RPC file. */
function rpc(path: string, read: (value: HoconValue) => number | boolean | undefined = integerOf): Convert {
  return (found, conversion) => {
    const value = read(found.value);
    if (value === undefined)
      conversion.remark(found, `expected ${read === integerOf ? "a whole number" : "true or false"}`);
    else conversion.setRpc(path.split("."), value);
  };
}

/** Settings with a counterpart. */
export const CONVERTED: Readonly<Record<string, Convert>> = {
  "blockchain.config.name": (found, conversion) => {
    const name = textOf(found.value) ?? "";
    if (Object.hasOwn(NETWORKS, name)) conversion.set("network", NETWORKS[name]!, found);
    else conversion.remark(found, "there is no such network here; set network to main, test, local or a network file");
  },
  "peer.port": integer("p2p.rlpx-port"),
  "peer.maxActivePeers": integer("p2p.max-peers"),
  "peer.filter.maxConnections": integer("p2p.per-subnet"),
  "peer.discovery.enabled": (found, conversion) => {
    const value = booleanOf(found.value);
    if (value === undefined) conversion.remark(found, "expected true or false");
    else conversion.set("p2p.static", !value, found);
  },
  "peer.discovery.ip.list": (found, conversion) => {
    const list = wordsOf(found.value);
    if (list?.every((item) => /^[^\s/:]+:\d{1,5}$/.test(item)) !== true)
      conversion.remark(found, "expected <host>:<port>");
    else if (list.length > 0) conversion.set("p2p.bootnodes", list, found);
  },
  "peer.active": (found, conversion) => {
    const enodes = each(
      found,
      conversion,
      enodeOf,
      "expected url, or nodeId, ip and port; the name of a node is not its id",
    );
    if (enodes.length > 0) conversion.set("p2p.nodes", enodes, found);
  },
  "peer.trusted": (found, conversion) => {
    const expected = "peers are trusted by their nodeId only, not by their address";
    const ids = each(found, conversion, (item) => peerId(memberOf(item, "nodeId")), expected);
    if (ids.length > 0) conversion.set("p2p.trusted", ids, found);
  },
  "peer.bannedPeerIPs": (found, conversion) => ban(found, conversion, addressOf, "expected an address or a.b.c.d/n"),
  "peer.bannedPeerIDs": (found, conversion) => ban(found, conversion, peerId, "expected a node id, 128 hex digits"),
  bind_address: (found, conversion) => {
    const address = textOf(found.value) ?? "";
    if (parseIp(address) === undefined) conversion.remark(found, "expected an IP address; set p2p.host");
    else conversion.set("p2p.host", [address], found);
  },
  "public.ip": text("p2p.rlpx-announce"),
  "miner.minGasPrice": integer("miner.min-gas-price"),
  "miner.server.enabled": boolean("miner.server"),
  "miner.client": convertClient,
  "miner.reward.address": (found, conversion) => {
    const address = (textOf(found.value) ?? "").replace(/^0x/i, "");
    if (!/^[\da-f]{40}$/i.test(address)) conversion.remark(found, "expected an address, 40 hex digits");
    else conversion.set("miner.address", `0x${address}`, found);
  },
  targetgaslimit: integer("miner.gas-limit"),
  "wallet.enabled": boolean("wallet.enabled"),
  "sync.snapshot.client.enabled": (found, conversion) => {
    const value = booleanOf(found.value);
    if (value === undefined) conversion.remark(found, "expected true or false");
    else if (value) conversion.set("sync.mode", "snapshot", found);
  },
  "sync.snapshot.server.enabled": boolean("sync.serve"),
  "rpc.providers.web.cors": (found, conversion) => {
    const origins = (textOf(found.value) ?? "").split(/[\s,]+/).filter((word) => word === "*" || word.includes("://"));
    if (origins.length > 0) conversion.set("http.cors", origins, found);
  },
  "rpc.providers.web.http.bind_address": text("http.host"),
  "rpc.providers.web.http.port": integer("http.port"),
  "rpc.providers.web.http.hosts": words("http.hosts"),
  "rpc.providers.web.ws.enabled": boolean("ws.enabled"),
  "rpc.providers.web.ws.bind_address": text("ws.host"),
  "rpc.providers.web.ws.port": integer("ws.port"),
  "rpc.providers.web.max_batch_requests_size": rpc("maxBatchRequests"),
  "rpc.modules": convertModules,
  "rpc.timeout": rpc("timeout"),
  "rpc.maxResponseSize": rpc("maxResponseSize"),
  "rpc.callGasCap": rpc("callGasCap"),
  "rpc.gasEstimationCap": rpc("gasEstimationCap"),
  "rpc.allowCallStateOverride": rpc("allowCallStateOverride", booleanOf),
  "rpc.skipRemasc": rpc("skipRemasc", booleanOf),
  "rpc.zeroSignatureIfRemasc": rpc("zeroSignatureIfRemasc", booleanOf),
  "rpc.logs.maxBlocksToQuery": rpc("logs.maxBlocks"),
  "rpc.logs.maxLogsToReturn": rpc("logs.maxLogs"),
  "rpc.trace.maxTracesPerRequest": rpc("trace.maxTraces"),
};

/** Returns the results of `read` for the items of a list, with a remark about the first item that it refuses. */
function each(
  { name, value }: Found,
  conversion: Conversion,
  read: (item: HoconValue) => string | undefined,
  expected: string,
): string[] {
  const items = Array.isArray(value.content) ? (value.content as readonly HoconValue[]) : [value];
  const results = items.map(read);
  const wrong = items.find((_, index) => results[index] === undefined);
  if (wrong !== undefined) conversion.remark({ name, value: wrong }, expected);
  return results.filter((result) => result !== undefined);
}

/** Both lists of banned peers become one. */
function ban(
  found: Found,
  conversion: Conversion,
  read: (item: HoconValue) => string | undefined,
  expected: string,
): void {
  const known = conversion.settings.get("p2p.banned")?.value;
  const list = [...(Array.isArray(known) ? (known as string[]) : []), ...each(found, conversion, read, expected)];
  if (list.length > 0) conversion.set("p2p.banned", list, found);
}

/** An address, or a subnet of IPv4. */
function addressOf(item: HoconValue): string | undefined {
  const address = textOf(item) ?? "";
  const [, ip = address, bits = "0"] = /^([\d.]+)\/(\d{1,2})$/.exec(address) ?? [];
  return parseIp(ip) !== undefined && Number(bits) <= 32 ? address : undefined;
}

/** Returns the peer id of a node id, in the form that this node uses. */
function peerId(item: HoconValue | undefined): string | undefined {
  const id = item === undefined ? "" : (textOf(item) ?? "").trim();
  return /^[\da-f]{128}$/i.test(id) ? peerIdOf(fromHex(id)) : undefined;
}

function enodeOf(item: HoconValue): string | undefined {
  const member = (name: string) => {
    const value = memberOf(item, name);
    return value === undefined ? "" : (textOf(value) ?? "");
  };
  const url = member("url") || `enode://${member("nodeId")}@${member("ip")}:${member("port")}`;
  const id = /^enode:\/\/([\da-f]{128})@[^\s/@:]+:\d{1,5}$/i.exec(url)?.[1];
  return id !== undefined && peerIdOf(fromHex(id)) !== undefined ? url : undefined;
}

const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  ms: 1,
  s: 1000,
  second: 1000,
  seconds: 1000,
  m: 60_000,
  minutes: 60_000,
};

/** Converts the miner that runs within a node of a local network. */
function convertClient(found: Found, conversion: Conversion): void {
  const enabled = memberOf(found.value, "enabled");
  if (enabled === undefined || booleanOf(enabled) !== true) return;
  if (conversion.settings.get("network")?.value !== "local") {
    conversion.remark(found, "a node mines on networks local and dev only; elsewhere use node-cli miner");
    return;
  }
  const automatic = memberOf(found.value, "autoMine");
  const delay = memberOf(found.value, "delayBetweenBlocks");
  const [, number, unit = ""] = /^(\d{1,9})\s*([a-z]*)$/.exec((delay && textOf(delay)) ?? "") ?? [];
  const interval = Number(number) * (Object.hasOwn(UNITS, unit) ? UNITS[unit]! : Number.NaN);
  if ((automatic && booleanOf(automatic)) || !(interval > 0)) conversion.set("mine.enabled", true, found);
  else conversion.set("mine.interval", interval, found);
}
