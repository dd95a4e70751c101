import assert from "node:assert/strict";
import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  pad,
  parseAbi,
  sha256,
  size,
  stringToHex,
  toEventSelector,
  toHex,
  toRlp,
} from "viem";
import { asciiOf, decodeCall, decodeLog, decodeRevert } from "../web/decode/decode.js";
import { failureOf } from "../web/decode/failure.js";
import { BRIDGE, nativeName, REWARD } from "../web/decode/native.js";
import { decodePegOuts } from "../web/decode/peg-outs.js";
import { type Place, unitOf } from "../web/decode/units.js";
import { checksummed, withChecksums } from "../web/format/addresses.js";
import type { Hex } from "../web/node/types.js";

const ACCOUNT = "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826";
const TOKEN = "0x77045e71a7a2c50903d88e564cd72fab11e82051";
const uint = (value: bigint) => encodeAbiParameters([{ type: "uint256" }], [value]);

describe("words for calls and logs", () => {
  it("are found for calls of tokens and of the bridge", () => {
    const abi = parseAbi(["function transfer(address to, uint256 amount)", "function voteFeePerKbChange(int256 fee)"]);
    const transfer = encodeFunctionData({ abi, functionName: "transfer", args: [ACCOUNT, 1234n] });
    assert.deepEqual(decodeCall(TOKEN, transfer), {
      name: "transfer",
      values: [
        { name: "to", type: "address", value: ACCOUNT },
        { name: "amount", type: "uint256", value: "1,234" },
      ],
    });
    const vote = encodeFunctionData({ abi, functionName: "voteFeePerKbChange", args: [-1n] });
    assert.equal(decodeCall(BRIDGE, vote)?.values[0]?.value, "-1");
    for (const input of ["0x", "0x12345678", transfer.slice(0, 40) as Hex] as const) {
      assert.equal(decodeCall(TOKEN, input), undefined);
    }
    assert.equal(decodeCall(null, transfer), undefined);
    const depth = parseAbi(["function getBlockHash(int256 depth)"]);
    const read = encodeFunctionData({ abi: depth, functionName: "getBlockHash", args: [5n] });
    assert.equal(decodeCall("0x0000000000000000000000000000000001000010", read)?.name, "getBlockHash");
    assert.equal(decodeCall(TOKEN, read), undefined);
  });

  it("are found for events, with ids of tokens as well as amounts", () => {
    const signature = toEventSelector("Transfer(address,address,uint256)");
    const accounts = [pad(ACCOUNT), pad(ACCOUNT)];
    const amount = decodeLog({ address: TOKEN, topics: [signature, ...accounts], data: uint(5n) });
    assert.deepEqual(amount?.values.map(({ name, value }) => [name, value]).at(-1), ["amount", "5"]);
    const id = decodeLog({ address: TOKEN, topics: [signature, ...accounts, uint(7n)], data: "0x" });
    assert.deepEqual(id?.values.map(({ name, value }) => [name, value]).at(-1), ["id", "7"]);
    assert.equal(decodeLog({ address: TOKEN, topics: [], data: "0x" }), undefined);
    assert.equal(decodeLog({ address: TOKEN, topics: [signature], data: "0x00" }), undefined);

    const topics = [pad(stringToHex("mining_fee_topic")), pad(TOKEN)];
    const fee = decodeLog({ address: REWARD, topics, data: toRlp(["0xab", "0x0400"]) });
    assert.deepEqual(
      fee?.values.map(({ value }) => value),
      [TOKEN, "0xab", "1,024"],
    );
    assert.equal(decodeLog({ address: REWARD, topics, data: "0xc1" }), undefined);
  });

  it("are the reasons of reverts", () => {
    const text = encodeAbiParameters([{ type: "string" }], ["<b>no</b>"]);
    assert.equal(decodeRevert(`0x08c379a0${text.slice(2)}`), "<b>no</b>");
    assert.equal(decodeRevert(`0x4e487b71${uint(17n).slice(2)}`), "Panic(17)");
    for (const output of [undefined, "0x", "0x08c379a0", "0x12345678"] as const)
      assert.equal(decodeRevert(output), undefined);
  });

  it("are the printable part of bytes", () => {
    assert.equal(asciiOf("0xcf018d43616d6269756d2d302e312e30"), "Cambium-0.1.0");
    assert.equal(asciiOf("0x0102"), undefined);
    assert.equal(asciiOf("0x"), undefined);
    assert.equal(nativeName(BRIDGE.toUpperCase().replace("0X", "0x")), "Bridge");
  });
});

describe("why a transaction failed", () => {
  it("is a reason, a panic in words, or what the interpreter says", () => {
    const text = encodeAbiParameters([{ type: "string" }], ["not allowed"]);
    assert.deepEqual(failureOf("execution reverted", `0x08c379a0${text.slice(2)}`), { words: "not allowed" });
    const panic = `0x4e487b71${uint(0x11n).slice(2)}` as const;
    assert.equal(failureOf("execution reverted", panic).words, "arithmetic overflow or underflow (panic 0x11)");
    assert.equal(failureOf("", `0x4e487b71${uint(0x99n).slice(2)}`).words, "panic (panic 0x99)");
    assert.deepEqual(failureOf("out of gas", "0x"), { words: "out of gas" });
    assert.deepEqual(failureOf("", undefined), { words: "no reason is given" });
  });

  it("is at least the selector and the data of an error that is not known", () => {
    const failure = { words: "custom error", selector: "0x12345678" };
    assert.deepEqual(failureOf("execution reverted", "0x12345678"), failure);
    assert.deepEqual(failureOf("execution reverted", "0x12345678abcd"), { ...failure, data: "0xabcd" });
  });
});

describe("units of calls and events", () => {
  const values = (...list: [name: string, type: string][]) => list.map(([name, type]) => ({ name, type, value: "1" }));
  const unit = (name: string, all: ReturnType<typeof values>, place: Place) =>
    unitOf({ name, values: all }, all.at(-1)!, place);

  it("are those of the token whose only number is an amount", () => {
    const transfer = values(["to", "address"], ["amount", "uint256"]);
    assert.deepEqual(unit("transfer", transfer, { contract: TOKEN }), { kind: "token", contract: TOKEN });
    assert.equal(unit("Transfer", values(["id", "uint256"]), { contract: TOKEN }), undefined);
    assert.equal(unit("vote", values(["amount", "uint256"]), { contract: TOKEN }), undefined);
    assert.equal(unit("transfer", values(["amount", "string"]), { contract: TOKEN }), undefined);
  });

  it("are satoshi or wei at the bridge, and words for reasons", () => {
    const amount = values(["amount", "uint256"]);
    assert.deepEqual(unit("pegin_btc", amount, { contract: BRIDGE }), { kind: "satoshi" });
    const request = (block: number, chainId: number) =>
      unit("release_request_received", amount, { contract: BRIDGE, block, chainId })?.kind;
    assert.deepEqual([request(7_338_023, 30), request(7_338_024, 30)], ["satoshi", "wei"]);
    assert.equal(request(5, 33), "wei");
    const reason = unit("rejected_pegin", values(["reason", "int256"]), { contract: BRIDGE });
    assert.equal(reason?.kind === "code" && reason.words[1], "the locking cap is surpassed");
    assert.deepEqual(unit("mining fee", amount, { contract: REWARD }), { kind: "wei" });
  });
});

describe("addresses on the page", () => {
  it("have the checksum of the chain", () => {
    // An example of RSKIP-60.
    const address = "0x27b1fdb04752bbc536007a920d24acb045561c26";
    assert.equal(checksummed(address, 33), "0x27b1fdb04752bbc536007a920d24acb045561c26");
    assert.equal(checksummed(address, 30), "0x27b1FdB04752BBc536007A920D24ACB045561c26");
    assert.equal(checksummed(address, 31), "0x27B1FdB04752BbC536007a920D24acB045561C26");
    assert.equal(checksummed("Bridge", 30), "Bridge");
    assert.equal(withChecksums(`[${address}, ${address}]`, 30).match(/BBc/g)?.length, 2);
  });
});

describe("peg-outs under way", () => {
  const request: Hex = `0x${"11".repeat(32)}`;
  const members = ["02", "03", "02"].map((sign, i): Hex => `0x${sign}${`${i + 1}`.repeat(64)}`);
  /** Two of the three members. */
  const multisig = concat(["0x52", ...members.map(prefixed), "0x53", "0xae"]);
  const signature: Hex = `0x${"30".repeat(71)}`;

  /** Prefixes bytes with their length, which is below 253. */
  function prefixed(bytes: Hex): Hex {
    return concat([toHex(size(bytes), { size: 1 }), bytes]);
  }

  /** A transaction with one input, and its id in display order. */
  function spending(script: Hex, witness: readonly Hex[]): { raw: Hex; id: string } {
    const output = concat(["0x01", "0xd204000000000000", "0x0151"]);
    const body = concat(["0x01", `0x${"07".repeat(32)}03000000`, prefixed(script), "0xffffffff", output]);
    const [version, lockTime] = ["0x02000000", "0x00000000"] as const;
    const stripped = concat([version, body, lockTime]);
    const items = concat([toHex(witness.length, { size: 1 }), ...witness.map(prefixed)]);
    return {
      raw: witness.length === 0 ? stripped : concat([version, "0x0001", body, items, lockTime]),
      id: sha256(sha256(stripped)).slice(2).match(/../g)!.toReversed().join(""),
    };
  }

  it("are decoded from the state of the bridge, by stage", () => {
    const script = concat(["0x00", prefixed(signature), "0x00", "0x4c", prefixed(multisig)]);
    const { raw, id: parentId } = spending(script, []);
    const state = toRlp([
      "0x05",
      toRlp([]),
      toRlp([request, raw]),
      toRlp(["0xaa", "0x02faf080", request]),
      toRlp([raw, "0x0100", request]),
      "0x07",
    ]);
    assert.deepEqual(decodePegOuts(state), {
      queued: [{ amount: 50_000_000n, request }],
      unconfirmed: [{ parentId, block: 256, request }],
      unsigned: [{ parentId, request, signatures: 1, required: 2, members }],
    });
    const empty = { queued: [], unconfirmed: [], unsigned: [] };
    assert.deepEqual(decodePegOuts(toRlp(["0x", toRlp([]), toRlp([]), toRlp([]), toRlp([]), "0x"])), empty);
  });

  it("have the id without witnesses, and the members' keys without those for emergencies", () => {
    const flyover = concat([prefixed(`0x${"05".repeat(32)}`), "0x75"]);
    const emergency = concat(["0x51", prefixed(`0x03${"99".repeat(32)}`), "0x51", "0xae"]);
    // NOTIF members ELSE delay CHECKSEQUENCEVERIFY DROP emergency ENDIF
    const redeem = concat([flyover, "0x64", multisig, "0x67", "0x02f401", "0xb2", "0x75", emergency, "0x68"]);
    const program = prefixed(`0x0020${"06".repeat(32)}`);
    const { raw, id: parentId } = spending(program, ["0x", signature, signature, "0x", redeem]);
    const state = toRlp(["0x05", toRlp([]), toRlp([request, raw]), toRlp([]), toRlp([]), "0x"]);
    assert.deepEqual(decodePegOuts(state).unsigned, [{ parentId, request, signatures: 2, required: 2, members }]);
  });
});
