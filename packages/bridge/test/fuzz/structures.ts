import assert from "node:assert/strict";
import { local, rulesAt } from "@cambium/config";
import { concatBytes, encodeRlp, fromHex, numberToBytes, PrimitivesError, RlpError, utf8 } from "@cambium/primitives";
import { assertSameBytes, decoding, errorsWithCode, type FuzzTarget } from "@cambium/test-utils/fuzz-target";
import { readAsn1 } from "../../src/bitcoin/asn1.js";
import { PARENT_CHAINS } from "../../src/bitcoin/parent-chains.js";
import { parseMultisig, parseMultisigStrictly, parseRedeemForm } from "../../src/bitcoin/redeem-script.js";
import {
  joinChunks,
  OP,
  parseScript,
  publicKeyHashOf,
  publicKeyHashOutput,
  pushData,
  scriptHashOutput,
} from "../../src/bitcoin/script.js";
import { satisfies } from "../../src/bitcoin/script-execution.js";
import { decodeSignature, encodeInputSignature, isCanonical } from "../../src/bitcoin/signature.js";
import {
  basicFault,
  encodeTransaction,
  type ParentTransaction,
  parseTransaction,
  transactionId,
} from "../../src/bitcoin/transaction.js";
import { BridgeError } from "../../src/errors.js";
import { redeemScript } from "../../src/federation/script.js";
import { decodeHeightMap, encodeHeightMap } from "../../src/model/codecs.js";
import {
  decodeFederation,
  decodePendingFederation,
  encodeFederation,
  encodePendingFederation,
  genesisFederation,
} from "../../src/model/federation.js";
import { decodeUtxos, encodeUtxos } from "../../src/model/utxo.js";
import { decodeStoredBlock, encodeStoredBlock } from "../../src/parent-chain/block-store.js";
import { decodeCompactBits } from "../../src/parent-chain/compact-bits.js";
import { readPegIn } from "../../src/peg-in/evaluation.js";
import type { BridgeSession } from "../../src/session.js";
import { Election } from "../../src/votes/election.js";
import { FEDERATOR, payment } from "../peg-world.js";

const refusals = [BridgeError];
/** A malformed cell fails the call that reads it, as in the deployed client. */
const cellRefusals = [BridgeError, RlpError, PrimitivesError];
/** Bytes of call data that a block has gas for. */
const LONGEST = 2_000_000;

const FEDERATION = genesisFederation(local);
const LATEST = rulesAt(local, 10);
const REDEEM = redeemScript(FEDERATION, local, LATEST);
const PAYMENT = payment(FEDERATOR, [{ value: 1_000_000n, script: scriptHashOutput(new Uint8Array(20)) }], 1);
const WITNESS: ParentTransaction = {
  ...PAYMENT,
  inputs: PAYMENT.inputs.map((input) => ({ ...input, witness: [new Uint8Array(71), REDEEM] })),
  outputs: [
    ...PAYMENT.outputs,
    {
      value: 0n,
      script: concatBytes(fromHex("6a"), pushData(concatBytes(utf8("RSKT"), fromHex("01"), new Uint8Array(20)))),
    },
  ],
};
const SIGNATURE = encodeInputSignature({ r: 1n << 250n, s: 12345n });

export const targets: Readonly<Record<string, FuzzTarget>> = {
  transaction: decoding({
    share: 3,
    seeds: () => [PAYMENT, WITNESS].map(encodeTransaction),
    maxLength: LONGEST,
    words: [utf8("RSKT")],
    decode: parseTransaction,
    refusals: [errorsWithCode(BridgeError, "PARENT_TRANSACTION")],
    check(transaction) {
      const encoded = encodeTransaction(transaction);
      if (transaction.inputs.length > 0) assertSameBytes(encodeTransaction(parseTransaction(encoded)), encoded);
      assert.equal(transactionId(transaction).length, 32);
      if (basicFault(transaction) !== undefined) return;
      try {
        readPegIn({ rules: LATEST } as BridgeSession, transaction);
      } catch (error) {
        if (!(error instanceof BridgeError)) throw error;
      }
    },
  }),
  script: decoding({
    seeds: () => [
      REDEEM,
      publicKeyHashOutput(new Uint8Array(20)),
      scriptHashOutput(new Uint8Array(20)),
      pushData(REDEEM),
    ],
    maxLength: 200_000,
    decode(input) {
      const chunks = parseScript(input);
      publicKeyHashOf(chunks);
      return chunks;
    },
    refusals,
    check: (chunks, input) => assertSameBytes(joinChunks(chunks), input),
  }),
  "redeem-script": decoding({
    seeds: () => [REDEEM, concatBytes(pushData(new Uint8Array(32)), Uint8Array.of(OP.drop), REDEEM)],
    decode: (input) => [parseMultisig(input), parseMultisigStrictly(input), parseRedeemForm(input)],
    refusals,
  }),
  /** An input's script against the output that it spends. */
  "script-execution": decoding({
    seeds: () => [concatBytes(Uint8Array.of(3), fromHex("00"), pushData(SIGNATURE).subarray(0, 2), pushData(REDEEM))],
    maxLength: 20_000,
    decode(input) {
      const cut = 1 + (input[0] ?? 0);
      const script = input.subarray(1, cut);
      const spending = { ...PAYMENT, inputs: PAYMENT.inputs.map((spent) => ({ ...spent, script })) };
      return satisfies(spending, 0, input.subarray(cut));
    },
    refusals: [],
  }),
  signature: decoding({
    seeds: () => [SIGNATURE, SIGNATURE.subarray(0, -1)],
    maxLength: 100_000,
    decode(input) {
      isCanonical(input);
      return decodeSignature(input);
    },
    refusals: [],
  }),
  asn1: decoding({
    seeds: () => [SIGNATURE.subarray(0, -1), fromHex("30800201010000"), fromHex("24800401ff0000")],
    maxLength: 200_000,
    decode: readAsn1,
    refusals,
  }),
  "compact-bits": decoding({
    seeds: () => [fromHex("1d00ffff"), fromHex("207fffff")],
    maxLength: 4,
    decode: (input) => (input.length < 4 ? 0n : decodeCompactBits(Buffer.from(input).readUInt32BE())),
    refusals: [],
  }),
  "stored-block": decoding({
    seeds: () => [false, true].map((wide) => encodeStoredBlock(PARENT_CHAINS.regtest.genesis, wide)),
    decode: decodeStoredBlock,
    refusals,
  }),
  utxos: decoding({
    seeds: () => [
      encodeUtxos([
        {
          txid: new Uint8Array(32).fill(1),
          index: 7,
          value: 5n,
          script: scriptHashOutput(new Uint8Array(20)),
          height: 0,
          coinbase: false,
        },
      ]),
    ],
    decode: decodeUtxos,
    refusals: cellRefusals,
    check: (utxos) => assert.deepEqual(decodeUtxos(encodeUtxos(utxos)), utxos),
  }),
  heights: decoding({
    seeds: () => [encodeHeightMap(new Map([["ab".repeat(32), 7n]]))],
    decode: decodeHeightMap,
    refusals: cellRefusals,
    check: (heights) => assert.deepEqual(decodeHeightMap(encodeHeightMap(heights)), heights),
  }),
  federation: decoding({
    seeds: () => [encodeFederation(FEDERATION, true)],
    decode: (input) => decodeFederation(input, encodeRlp(numberToBytes(3000))),
    refusals: cellRefusals,
    check: (federation) => {
      if (federation.creationTimeMillis >= 1n << 63n) return;
      assert.deepEqual(
        decodeFederation(encodeFederation(federation, true), encodeRlp(numberToBytes(3000))),
        federation,
      );
    },
  }),
  "pending-federation": decoding({
    seeds: () => [encodePendingFederation(FEDERATION.members, true)],
    decode: (input) => decodePendingFederation(input, encodeRlp(numberToBytes(3000))),
    refusals: cellRefusals,
    check: (members) => assertSameBytes(encodePendingFederation(members, true), encodePendingFederation(members, true)),
  }),
  election: decoding({
    seeds: () => {
      const election = Election.decode(encodeRlp([]), [FEDERATOR.address])!;
      election.vote({ name: "create", args: [new Uint8Array(2)] }, FEDERATOR.address);
      return [election.encode()];
    },
    decode: (input) => Election.decode(input, [FEDERATOR.address]),
    refusals: cellRefusals,
    check: (election) => void election?.encode(),
  }),
};
