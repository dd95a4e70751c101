import {
  AbiError,
  type AbiFunction,
  type AbiValue,
  abiFunction,
  concatBytes,
  decodeArguments,
  joinBytes,
  keccak256,
  toHex,
  utf8,
} from "@cambium/primitives";

/**
 * The bridge's events from RSKIP-146 on, with the names of the published ABI; `*` marks indexed arguments.
 * `spec/06b-3 §10`.
 */
const EVENTS: readonly string[] = [
  "lock_btc(address *receiver, bytes32 btcTxHash, string senderBtcAddress, int256 amount)",
  "pegin_btc(address *receiver, bytes32 *btcTxHash, int256 amount, int256 protocolVersion)",
  "rejected_pegin(bytes32 *btcTxHash, int256 reason)",
  "unrefundable_pegin(bytes32 *btcTxHash, int256 reason)",
  "update_collections(address sender)",
  "add_signature(bytes32 *releaseRskTxHash, address *federatorRskAddress, bytes federatorBtcPublicKey)",
  "release_btc(bytes32 *releaseRskTxHash, bytes btcRawTransaction)",
  "commit_federation(bytes oldFederationBtcPublicKeys, string oldFederationBtcAddress, bytes newFederationBtcPublicKeys, string newFederationBtcAddress, int256 activationHeight)",
  "commit_federation_failed(bytes proposedFederationRedeemScript, int256 blockNumber)",
  "release_requested(bytes32 *rskTxHash, bytes32 *btcTxHash, uint256 amount)",
  "release_request_received(address *sender, string btcDestinationAddress, uint256 amount)",
  "release_request_received(address *sender, bytes btcDestinationAddress, uint256 amount)",
  "release_request_rejected(address *sender, uint256 amount, int256 reason)",
  "batch_pegout_created(bytes32 *btcTxHash, bytes releaseRskTxHashes)",
  "pegout_confirmed(bytes32 *btcTxHash, uint256 pegoutCreationRskBlockNumber)",
  "pegout_transaction_created(bytes32 *btcTxHash, bytes utxoOutpointValues)",
  "union_bridge_locking_cap_increased(address *caller, uint256 previousLockingCap, uint256 newLockingCap)",
  "union_rbtc_requested(address *requester, uint256 amount)",
  "union_rbtc_released(address *receiver, uint256 amount)",
  "union_bridge_transfer_permissions_updated(address *caller, bool enablePowPegToUnionBridge, bool enableUnionBridgeToPowPeg)",
];

interface Layout {
  name: string;
  /** Names in the order of the signature. */
  names: readonly string[];
  indexed: { names: readonly string[]; types: AbiFunction };
  data: { names: readonly string[]; types: AbiFunction };
}

/** An event of the bridge, with its arguments in the order of the signature. */
export interface DecodedBridgeEvent {
  name: string;
  arguments: Readonly<Record<string, AbiValue>>;
}

const byTopic: ReadonlyMap<string, Layout> = new Map(EVENTS.map(layoutOf));

function layoutOf(signature: string): [string, Layout] {
  const [, name, list] = /^(\w+)\((.*)\)$/.exec(signature)!;
  const inputs = list!.split(", ").map((input) => {
    const [type, argument] = input.split(" ") as [string, string];
    return { type, name: argument.replace("*", ""), isIndexed: argument.startsWith("*") };
  });
  const part = (isIndexed: boolean) => {
    const chosen = inputs.filter((input) => input.isIndexed === isIndexed);
    return {
      names: chosen.map((input) => input.name),
      types: abiFunction(
        name!,
        chosen.map(({ type }) => type),
        [],
      ),
    };
  };
  const topic = keccak256(utf8(`${name}(${inputs.map(({ type }) => type).join(",")})`));
  return [
    toHex(topic),
    { name: name!, names: inputs.map((input) => input.name), indexed: part(true), data: part(false) },
  ];
}

/**
 * Decodes a log of the bridge; undefined if it is not a known event. A log from before RSKIP-146 has the name as topic
 * and RLP data, which become the argument `data`.
 */
export function decodeBridgeEvent(topics: readonly Uint8Array[], data: Uint8Array): DecodedBridgeEvent | undefined {
  const [topic, ...indexed] = topics;
  if (topic === undefined) return undefined;
  const layout = byTopic.get(toHex(topic));
  if (layout === undefined) return namedEvent(topic, data);
  try {
    const values = new Map([...valuesOf(layout.indexed, joinBytes(indexed)), ...valuesOf(layout.data, data)]);
    return { name: layout.name, arguments: Object.fromEntries(layout.names.map((name) => [name, values.get(name)!])) };
  } catch (error) {
    if (error instanceof AbiError) return undefined;
    throw error;
  }
}

function valuesOf({ names, types }: Layout["data"], data: Uint8Array): [string, AbiValue][] {
  const values = decodeArguments(types, concatBytes(SELECTOR, data));
  return names.map((name, i) => [name, values[i]!]);
}

/** Placeholder for the selector that call data begins with and event data lacks. */
const SELECTOR = new Uint8Array(4);

function namedEvent(topic: Uint8Array, data: Uint8Array): DecodedBridgeEvent | undefined {
  const name = new TextDecoder().decode(topic.subarray(topic.findIndex((byte) => byte !== 0)));
  return /^[a-z_]+_topic$/.test(name) ? { name, arguments: { data } } : undefined;
}
