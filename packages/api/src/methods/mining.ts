import type { MinerServerApi } from "@cambium/miner";
import { bytesToBigint, equalBytes, fromHex, toData, toQuantity } from "@cambium/primitives";
import { defineMethod, type MethodDefinition, optional, required } from "../definition/method.js";
import { invalidParams, type MethodErrorName, serverError } from "../errors.js";
import type { Deadline } from "../limits/deadline.js";
import { ZERO_ADDRESS } from "../objects/format.js";
import { mining, NO_MINER, submittedBlockObject, word, workObject } from "../objects/mining-answers.js";
import type { JsonSchema, ParamType } from "../params/param-type.js";
import { DATA } from "../params/value-types.js";
import { arrayOf, BYTES, BYTES_32, QUANTITY, TEXT, TRUTH } from "../schemas/values.js";

/** Hex digits as mining software sends them: without prefix, possibly with white space in between (`spec/03 §7.3`). */
const BLOB: ParamType<Uint8Array> = {
  name: "HEX",
  schema: { type: "string", pattern: "^(0x)?[0-9a-fA-F\\s]*$" },
  parse: (value) => hexBytes(typeof value === "string" ? value.replace(/\s+/g, "") : undefined),
};

/** Maximum number of hashes; no block has as many transactions. */
const MAX_HASHES = 10_000;

/** Hashes separated by white space. */
const HASHES: ParamType<readonly Uint8Array[]> = {
  name: "HASHES",
  schema: { type: "string", pattern: "^[0-9a-fA-Fx\\s]*$" },
  parse(value) {
    if (typeof value !== "string") throw wrongHex();
    const hashes = value.split(/\s+/, MAX_HASHES + 2).filter(Boolean);
    if (hashes.length > MAX_HASHES) throw invalidParams(`Too many hashes, at most ${MAX_HASHES} are allowed`);
    return hashes.map(hexBytes);
  },
};

/** A number of transactions in hexadecimal digits, below 2^31. */
const HEX_COUNT: ParamType<number> = {
  name: "HEX_COUNT",
  schema: { type: "string", pattern: "^(0x)?[0-9a-fA-F]{1,8}$" },
  parse(value) {
    const digits = typeof value === "string" ? /^(?:0x)?([0-9a-fA-F]{1,8})$/.exec(value)?.[1] : undefined;
    const count = Number.parseInt(digits ?? "", 16);
    if (!(count <= 0x7fffffff)) throw invalidParams("Invalid transaction count: value must be a valid hex number.");
    return count;
  },
};

/** A parameter that is ignored: the coinbase identifies the block. */
const IGNORED: ParamType<undefined> = { name: "ANY", schema: {}, parse: () => undefined };

/** DATA of exactly `length` bytes. */
function bytesOf(length: number): ParamType<Uint8Array> {
  return {
    name: `DATA ${length}`,
    schema: { type: "string", pattern: `^0x[0-9a-fA-F]{${length * 2}}$` },
    parse(value) {
      const bytes = hexBytes(value);
      if (bytes.length !== length) throw invalidParams(`Invalid data length: ${bytes.length} bytes, want ${length}`);
      return bytes;
    },
  };
}

function hexBytes(value: unknown): Uint8Array {
  if (typeof value !== "string" || value.length % 2 !== 0 || !/^(0x)?[0-9a-fA-F]*$/.test(value)) throw wrongHex();
  return fromHex(value);
}

function wrongHex() {
  return invalidParams("Invalid data format: invalid hex value.");
}

const WORK: JsonSchema = {
  type: "object",
  properties: {
    blockHashForMergedMining: BYTES_32,
    target: BYTES_32,
    feesPaidToMiner: TEXT,
    notify: TRUTH,
    parentBlockHash: BYTES_32,
  },
};
const SUBMITTED: JsonSchema = {
  type: "object",
  properties: { blockImportedResult: BYTES, blockHash: BYTES_32, blockIncludedHeight: QUANTITY },
};

/** Milliseconds for which a request waits for work other than the client's. */
const LONG_POLL = 25_000;

/**
 * Resolves when there is work with a hash other than the client's. Otherwise it resolves after {@link LONG_POLL}, or
 * shortly before the request's time limit: the answer is then the work that the client has.
 */
async function otherWork(miner: MinerServerApi, known: Uint8Array, deadline: Deadline): Promise<void> {
  if (!equalBytes(miner.ethWork().headerHash, known)) return;
  const limit = deadline.within(Math.min(LONG_POLL, 0.9 * deadline.remaining));
  const stops: (() => void)[] = [];
  await new Promise<void>((resolve) => {
    stops.push(miner.onWork(({ hashForMergedMining }) => equalBytes(hashForMergedMining, known) || resolve()));
    stops.push(limit.onPassed(resolve));
  });
  for (const stop of stops) stop();
}

const SUBMISSION_ERRORS: readonly MethodErrorName[] = ["SUBMISSION_REFUSED", "SERVER_ERROR"];

/** Methods for merged mining and the status of mining (`spec/03 §7`, `§8.4`, `§8.5`, `spec/09 §13.2`). */
export const MINING_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "mnr_getWork",
    summary:
      "Current work for merged mining: hash for the parent-chain coinbase, target and fees; with the hash of known work, waits some time for other work",
    params: [optional("knownHash", bytesOf(32), undefined)],
    needs: "miner",
    result: WORK,
    errors: ["SERVER_ERROR"],
    example: "written",
    handler: ({ miner }, [known], deadline) =>
      mining(async () => {
        await miner!.upToDate();
        if (known !== undefined) await otherWork(miner!, known, deadline);
        return workObject(miner!.getWork());
      }),
  }),
  defineMethod({
    name: "mnr_rememberWork",
    summary:
      "Accepts solutions of work that another node of the pool serves, a block without a solution; returns its hash for merged mining",
    params: [required("block", DATA)],
    needs: "miner",
    result: BYTES_32,
    example: "written",
    handler: ({ miner }, [block]) => mining(() => toData(miner!.remember(block))),
  }),
  defineMethod({
    name: "mnr_submitParentChainBlock",
    summary: "Submits a solution as a complete parent-chain block",
    params: [required("block", BLOB)],
    needs: "miner",
    result: SUBMITTED,
    errors: SUBMISSION_ERRORS,
    cost: "send",
    aliases: ["mnr_submitBitcoinBlock"],
    example: "written",
    handler: ({ miner }, [block]) => mining(async () => submittedBlockObject(await miner!.submitBlock(block))),
  }),
  defineMethod({
    name: "mnr_submitParentChainBlockTransactions",
    summary: "Submits a solution as header, coinbase and all transaction ids of the parent-chain block",
    params: [
      required("blockHash", IGNORED),
      required("header", BLOB),
      required("coinbase", BLOB),
      required("transactionIds", HASHES),
    ],
    needs: "miner",
    result: SUBMITTED,
    errors: SUBMISSION_ERRORS,
    cost: "send",
    aliases: ["mnr_submitBitcoinBlockTransactions"],
    example: "written",
    handler: ({ miner }, [, header, coinbase, transactionIds]) =>
      mining(async () => {
        return submittedBlockObject(await miner!.submitTransactions({ header, coinbase, transactionIds }));
      }),
  }),
  defineMethod({
    name: "mnr_submitParentChainBlockPartialMerkle",
    summary: "Submits a solution as header, coinbase and the Merkle branch of the coinbase",
    params: [
      required("blockHash", IGNORED),
      required("header", BLOB),
      required("coinbase", BLOB),
      required("merkleHashes", HASHES),
      required("transactionCount", HEX_COUNT),
    ],
    needs: "miner",
    result: SUBMITTED,
    errors: SUBMISSION_ERRORS,
    cost: "send",
    aliases: ["mnr_submitBitcoinBlockPartialMerkle"],
    example: "written",
    handler: ({ miner }, [, header, coinbase, merkleHashes, transactionCount]) =>
      mining(async () => {
        const submission = { header, coinbase, merkleHashes, transactionCount };
        return submittedBlockObject(await miner!.submitPartialMerkle(submission));
      }),
  }),
  defineMethod({
    name: "eth_getWork",
    summary:
      "Current work for Ethash miners: hash for merged mining, Merkle root of the canonical parent-chain block, and target",
    params: [],
    result: arrayOf(BYTES_32),
    errors: ["SERVER_ERROR"],
    example: "written",
    handler: ({ miner }) =>
      mining(async () => {
        if (miner === undefined) throw serverError(NO_MINER);
        await miner.upToDate();
        const { headerHash, merkleRoot, target } = miner.ethWork();
        return [toData(headerHash), toData(merkleRoot), word(target)];
      }),
  }),
  defineMethod({
    name: "eth_submitWork",
    summary: "Submits a solution as time and nonce of the canonical parent-chain block",
    params: [required("nonce", bytesOf(8)), required("headerHash", bytesOf(32)), required("mixDigest", bytesOf(32))],
    needs: "miner",
    result: TRUTH,
    errors: SUBMISSION_ERRORS,
    example: "written",
    handler: ({ miner }, [nonce, headerHash, mixDigest]) =>
      mining(() => miner!.ethSubmit(nonce, headerHash, mixDigest)),
  }),
  defineMethod({
    name: "eth_submitHashrate",
    summary: "Reports the hash rate of an external miner",
    params: [required("hashrate", bytesOf(32)), required("clientId", bytesOf(32))],
    needs: "miner",
    result: TRUTH,
    example: "written",
    handler: ({ miner }, [rate, id]) => {
      miner!.submitHashrate(bytesToBigint(rate), id);
      return true;
    },
  }),
  defineMethod({
    name: "eth_hashrate",
    summary: "Hash rate of the node's miners in hashes per second",
    params: [],
    result: QUANTITY,
    handler: ({ miner }) => toQuantity(miner?.hashrate() ?? 0n),
  }),
  defineMethod({
    name: "eth_mining",
    summary: "Whether the node produces blocks",
    params: [],
    result: TRUTH,
    handler: ({ localMiner }) => localMiner?.isMining ?? false,
  }),
  defineMethod({
    name: "eth_coinbase",
    summary: "Address that receives the fees of the node's blocks; zero if mining is disabled",
    params: [],
    result: BYTES,
    handler: ({ miner }) => (miner === undefined ? ZERO_ADDRESS : toData(miner.rewardAddress)),
  }),
];
