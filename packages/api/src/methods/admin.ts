import type { Peer, ScoringAdmin } from "@cambium/networking";
import { CambiumError, toData, toQuantity } from "@cambium/primitives";
import { defineMethod, type MethodDefinition, required } from "../definition/method.js";
import { echo, invalidParams, serverError } from "../errors.js";
import type { ParamType } from "../params/param-type.js";
import { arrayOf, resource, TEXT, TRUTH } from "../schemas/values.js";

function text(name: string, expected: string): ParamType<string> {
  return {
    name,
    schema: { type: "string" },
    takesIntegers: false,
    parse(value) {
      if (typeof value === "string") return value;
      throw invalidParams(`Invalid param ${echo(value)}: expected ${expected}.`);
    },
  };
}

const PEER_ADDRESS = text("PEER_ADDRESS", "a multiaddr that ends in a peer id, or an enode URL");
const PEER_ID = text("PEER_ID", "a peer id");
const BANNED = text("PEER_OR_ADDRESS", "a peer id, an IP address or a subnet");
const LOG_LEVELS = text("LOG_LEVELS", "levels such as info,p2p=debug");

/** Administration of the node itself: for its operator only. The module is disabled unless it is enabled by name. */
export const ADMIN_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "admin_nodeInfo",
    summary: "Identity, addresses, network and best block of the node; the id is null for a node without peers",
    params: [],
    result: resource("NodeInfo"),
    needs: "admin",
    handler({ admin, network, chain, clientVersion }) {
      const { header, hash, totalDifficulty } = chain.best();
      return {
        id: network?.ownId ?? null,
        name: clientVersion,
        addresses: network?.listenAddresses() ?? [],
        network: chain.network.name,
        chainId: chain.network.chainId,
        genesis: toData(chain.genesis.hash),
        bestNumber: header.number,
        bestHash: toData(hash),
        totalDifficulty: toQuantity(totalDifficulty),
        dataDir: admin!.dataDir,
      };
    },
  }),
  defineMethod({
    name: "admin_datadir",
    summary: "Absolute path of the data folder",
    params: [],
    result: TEXT,
    needs: "admin",
    handler: ({ admin }) => admin!.dataDir,
  }),
  defineMethod({
    name: "admin_setLogLevel",
    summary: "Changes the levels of the log, as `--log.level` sets them, until the node stops",
    params: [required("levels", LOG_LEVELS)],
    result: TRUTH,
    needs: "admin",
    errors: ["SERVER_ERROR"],
    handler({ admin }, [levels]) {
      const { setLogLevels } = admin!;
      if (setLogLevels === undefined) throw serverError("the log of this node has fixed levels");
      return withCheckedParams(() => {
        setLogLevels(levels);
        return true;
      });
    },
  }),
  defineMethod({
    name: "admin_reloadConfig",
    summary:
      "Reads the configuration file and the environment again, and applies what can change while the node runs, as SIGHUP does; an error changes nothing",
    params: [],
    result: resource("ReloadedConfig"),
    needs: "admin",
    errors: ["SERVER_ERROR", "CONFIGURATION_REFUSED"],
    async handler({ admin }) {
      const { reloadConfig } = admin!;
      if (reloadConfig === undefined) throw serverError("this node has no configuration that can be read again");
      return reloadConfig();
    },
  }),
  defineMethod({
    name: "admin_peers",
    summary: "The connected peers on both wires, with what they claim about themselves",
    params: [],
    result: arrayOf(resource("ConnectedPeer")),
    needs: "network",
    handler: ({ network, scoring }) => network!.peers().map((peer) => peerObject(peer, scoring!)),
  }),
  defineMethod({
    name: "admin_addPeer",
    summary: "Connects to a peer by multiaddr (libp2p) or enode URL (deployed network), and returns it",
    params: [required("peerAddress", PEER_ADDRESS)],
    result: resource("ConnectedPeer"),
    needs: "network",
    errors: ["SERVER_ERROR"],
    handler({ network, scoring }, [address]) {
      return withCheckedParams(async () => peerObject(await network!.dial(address), scoring!));
    },
  }),
  defineMethod({
    name: "admin_removePeer",
    summary: "Disconnects a peer, which may connect again; false if it is not connected",
    params: [required("peer", PEER_ID)],
    result: TRUTH,
    needs: "network",
    async handler({ network }, [peer]) {
      if (network!.peer(peer) === undefined) return false;
      await network!.disconnect(peer);
      return true;
    },
  }),
  defineMethod({
    name: "admin_banPeer",
    summary:
      "Bans the IP address of a connected peer, or an IP address or subnet, and closes its connections; returns what is banned",
    params: [required("peerOrAddress", BANNED)],
    result: TEXT,
    needs: "network",
    errors: ["SERVER_ERROR"],
    handler: ({ network, scoring }, [subject]) =>
      withCheckedParams(() => {
        const address = network!.peer(subject)?.address.ip ?? subject;
        scoring!.banAddress(address);
        return address;
      }),
  }),
  defineMethod({
    name: "admin_unbanPeer",
    summary: "Unbans an IP address or a subnet; not an error if it is not banned",
    params: [required("peerOrAddress", BANNED)],
    result: TRUTH,
    needs: "network",
    errors: ["SERVER_ERROR"],
    handler: ({ scoring }, [subject]) =>
      withCheckedParams(() => {
        scoring!.unbanAddress(subject);
        return true;
      }),
  }),
];

function peerObject({ id, wire, address, direction, isTrusted, status }: Peer, scoring: Pick<ScoringAdmin, "idOf">) {
  return {
    id,
    scoringId: scoring.idOf(id),
    wire,
    address: address.ip.includes(":") ? `[${address.ip}]:${address.port}` : `${address.ip}:${address.port}`,
    direction,
    trusted: isTrusted,
    client: status.clientId,
    bestNumber: status.bestNumber,
    bestHash: toData(status.bestHash),
    totalDifficulty: toQuantity(status.totalDifficulty),
  };
}

/** Codes of errors in the caller's input. */
const REFUSALS: ReadonlySet<string> = new Set(["INVALID_ADDRESS", "INVALID_OPTION"]);

/**
 * Converts errors of the parameters to errors of the request. Other failures, such as those while a peer is dialled,
 * are errors of the server.
 */
async function withCheckedParams<T>(action: () => T | Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof CambiumError)) throw error;
    throw REFUSALS.has(error.code) ? invalidParams(error.message) : serverError(error.message);
  }
}
