import { decodeBase58Check, fromHex, toData } from "@cambium/primitives";
import * as z from "zod";
import { MAX_CHAIN_ID } from "./constants.js";
import type {
  BridgeConfig,
  ConsensusConstants,
  DeployedWireConfig,
  ForkConfig,
  GenesisAccount,
  GenesisConfig,
  NetworkConfig,
  PublishedStateConfig,
  RewardConfig,
  WorkCheckpoint,
} from "./network.js";
import { RULE_NAMES, UPGRADES } from "./upgrades.js";

// JSON form of a network: byte strings as 0x hex, big integers as decimal strings, everything else unchanged. Each
// codec encodes and decodes, so that networks round-trip.

const HEX = /^0x(?:[0-9a-fA-F]{2})*$/;
const DECIMAL = /^(?:0|[1-9][0-9]*)$/;

const byteString = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** Hex of `min` to `max` bytes. */
function bytes(what: string, min: number, max = min) {
  const hex = z
    .string(`expected ${what} as 0x hex`)
    .regex(HEX, `expected ${what} as 0x hex`)
    .refine((text) => text.length >= 2 + 2 * min && text.length <= 2 + 2 * max, `expected ${what}`);
  return z.codec(hex, byteString, { decode: (text) => fromHex(text), encode: (value) => toData(value) });
}

/** Big integer of at least `min`, which is not negative. */
function decimal(min: bigint) {
  const text = z
    .string("expected a decimal number as a string")
    .regex(DECIMAL, "expected a decimal number as a string")
    // Also called with text that is refused above.
    .refine((digits) => !DECIMAL.test(digits) || BigInt(digits) >= min, `expected at least ${min}`);
  return z.codec(text, z.bigint(), { decode: (digits) => BigInt(digits), encode: (value) => value.toString() });
}

function whole(min: number, max = Number.MAX_SAFE_INTEGER) {
  const expected = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `between ${min} and ${max}`;
  return z
    .int(`expected a whole number ${expected}`)
    .min(min, `expected a whole number ${expected}`)
    .max(max, {
      error: `expected a whole number ${expected}`,
    });
}

const address = bytes("an address of 20 bytes", 20);
const hash = bytes("32 bytes", 32);
const publicKey = bytes("a compressed public key of 33 bytes", 33);
const anyBytes = bytes("bytes", 0, 1 << 20);
const port = whole(1, 65535);
/** -1 means never. */
const height = whole(-1);

const genesisAccount = z.strictObject({
  address,
  balance: decimal(0n),
  nonce: decimal(0n).optional(),
  code: anyBytes.optional(),
  storage: z.array(z.strictObject({ slot: hash, value: anyBytes })).optional(),
}) satisfies z.ZodType<GenesisAccount>;

/** Encoded as given, and read back as a two's complement that is not negative: `spec/01 §2.7`. */
const genesisDifficulty = bytes("1 to 32 bytes", 1, 32).refine(
  (value) => value[0]! < 0x80,
  "expected a number that is not negative in two's complement; put 00 before it",
);

const genesis = z.strictObject({
  difficulty: genesisDifficulty,
  gasLimit: whole(0),
  timestamp: whole(0),
  minimumGasPrice: decimal(0n),
  coinbase: address,
  extraData: anyBytes,
  parentHash: hash,
  stateRoot: hash.optional(),
  accounts: z.array(genesisAccount),
}) satisfies z.ZodType<GenesisConfig>;

const consensus = z.strictObject({
  blockDuration: whole(1),
  minimumDifficulty: decimal(1n),
  minimumDifficultyRskip290: decimal(1n).optional(),
  fallbackMiningDifficulty: decimal(0n),
  difficultyDivisor: decimal(1n),
  difficultyDivisorRskip156: decimal(1n),
  validPeriod: whole(0),
  parentChainTimeWindow: whole(0),
  parentChainTimeWindowRskip297: whole(0).optional(),
  minimumSequentialGas: whole(0),
  baseEventRequiredFrom: whole(0),
}) satisfies z.ZodType<ConsensusConstants>;

const reward = z.strictObject({
  maturity: whole(1),
  syntheticSpan: whole(1),
  fundDivisor: decimal(1n),
  federationDivisor: decimal(1n),
  punishmentDivisor: decimal(1n),
  publishersDivisor: decimal(1n),
  lateInclusionDivisor: decimal(1n),
  fundAddress: address,
  fundAddressRskip218: address,
}) satisfies z.ZodType<RewardConfig>;

/** Base58 of a version byte and a hash. */
const parentAddress = z
  .string("expected an address of the parent chain")
  .refine((text) => decodeBase58Check(text)?.length === 21, "expected an address of the parent chain");

const minimumByHeight = z.strictObject({ initial: decimal(0n), rskip219: decimal(0n) });

const bridge = z.strictObject({
  genesisFederation: z.strictObject({
    format: z.literal([1000, 2000, 3000, 4000], "expected a federation format: 1000, 2000, 3000 or 4000"),
    creationTimeMillis: whole(0),
    creationBlock: whole(0),
    publicKeys: z.array(publicKey).min(1, "expected at least one key"),
  }),
  emergency: z.strictObject({ publicKeys: z.array(publicKey), activationDelay: whole(1, 65535) }),
  federationActivationAge: z.strictObject({ initial: whole(0), rskip383: whole(0), rskip419: whole(0) }),
  authorizers: z.strictObject({
    federationChange: z.array(address),
    feePerKb: z.array(address),
    lockingCap: z.array(address),
    whitelist: z.array(address),
    union: z.strictObject({ contractAddress: address, lockingCap: address, permissions: address }),
  }),
  minimumPegIn: minimumByHeight,
  minimumPegOut: minimumByHeight,
  genesisFeePerKb: decimal(0n),
  initialLockingCap: decimal(0n),
  blockIndex: z.strictObject({ activationHeight: whole(0), maxDepth: whole(0) }),
  union: z.strictObject({ contractAddress: address, initialLockingCap: decimal(0n) }),
  parentConfirmations: whole(0),
  releaseConfirmations: whole(0),
  feeGapPercent: decimal(0n),
  blocksBetweenPegOuts: whole(0),
  maxMigrationInputs: whole(0),
  pegOutIndexHeight: whole(0),
  validationPeriod: whole(0),
  migration: z.strictObject({ begin: whole(0), end: whole(0), endRskip357: whole(0) }),
  oldFederationAddress: parentAddress,
}) satisfies z.ZodType<BridgeConfig>;

const deployedWire = z.strictObject({
  port,
  bootNodes: z.array(z.strictObject({ host: z.string("expected a host").min(1, "expected a host"), port })),
}) satisfies z.ZodType<DeployedWireConfig>;

const publishedState = z.strictObject({
  url: z.string("expected a URL").regex(/^https?:\/\//, "expected a URL of http or https"),
  signers: z.array(bytes("an uncompressed public key of 65 bytes", 65)).min(2, "expected at least two signers"),
}) satisfies z.ZodType<PublishedStateConfig>;

const workCheckpoint = z.strictObject({
  number: whole(1),
  hash,
  totalDifficulty: decimal(1n),
}) satisfies z.ZodType<WorkCheckpoint>;

const fork = z.strictObject({
  source: z.string("expected a URL or folder").min(1, "expected a URL or folder"),
  chainId: whole(1, MAX_CHAIN_ID),
  number: whole(0),
  hash,
  header: anyBytes,
  totalDifficulty: decimal(0n),
  selector: z.enum(["hash", "number"], "expected hash or number"),
  accounts: z.array(genesisAccount),
  cache: z.string("expected a folder").optional(),
}) satisfies z.ZodType<ForkConfig>;

export const networkSchema = z.strictObject({
  name: z.string("expected a name").regex(/^[a-z0-9-]{1,32}$/, "expected 1 to 32 lower-case letters, digits or -"),
  // 0 would mean "no replay protection".
  chainId: whole(1, MAX_CHAIN_ID),
  networkId: whole(0, 0x7fffffff),
  deployedWire: deployedWire.optional(),
  publishedState: publishedState.optional(),
  workCheckpoint: workCheckpoint.optional(),
  parentChain: z.enum(["main", "test", "regtest"], "expected main, test or regtest"),
  upgrades: z.record(z.enum(UPGRADES), height),
  ruleHeights: z.partialRecord(z.enum(RULE_NAMES), height),
  consensus,
  reward,
  bridge,
  genesis,
  isForDevelopment: z.boolean("expected true or false").optional(),
  fork: fork.optional(),
  sequentialOnlyContracts: z.array(address),
}) satisfies z.ZodType<NetworkConfig>;

/** JSON form of a {@link NetworkConfig}. */
export type NetworkJson = z.input<typeof networkSchema>;

/** The complete JSON form of a network, which `loadNetwork` accepts. */
export function networkToJson(network: NetworkConfig): NetworkJson {
  return z.encode(networkSchema, network as z.output<typeof networkSchema>);
}
