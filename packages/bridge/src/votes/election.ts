import { compareBytes, encodeRlp, equalBytes, joinBytes, RawRlp, utf8 } from "@cambium/primitives";
import { decodeGroups, requireItems } from "../model/codecs.js";

/** Subject of a vote: a function of the bridge with its arguments. */
export interface VotedCall {
  name: string;
  args: readonly Uint8Array[];
}

interface Ballot {
  call: VotedCall;
  voters: Uint8Array[];
}

/** Votes of the authorised voters: `spec/06b-2 §2`, "Vote procedure" and "Election cell". */
export class Election {
  private constructor(
    private readonly authorized: readonly Uint8Array[],
    private ballots: Ballot[],
  ) {}

  /**
   * Undefined if a stored voter is no longer authorised; the deployed client throws in that case. Throws
   * {@link BridgeError} `STORED_LIST` or `RlpError`.
   */
  static decode(cell: Uint8Array, authorized: readonly Uint8Array[]): Election | undefined {
    const ballots = decodeGroups(cell, 2, "election").map(([vote, voters]): Ballot => {
      const [name, args] = requireItems(vote!.items, 2, "voted call");
      const call = { name: new TextDecoder().decode(name!.bytes), args: args!.items.map((item) => item.bytes) };
      return { call, voters: voters!.items.map((item) => item.bytes) };
    });
    const voters = ballots.flatMap((ballot) => ballot.voters);
    return voters.every((voter) => isAmong(authorized, voter)) ? new Election(authorized, ballots) : undefined;
  }

  /** Records a vote; false if this voter has already voted for the same call. */
  vote(call: VotedCall, voter: Uint8Array): boolean {
    let ballot = this.ballots.find((candidate) => isSameCall(candidate.call, call));
    if (ballot === undefined) this.ballots.push((ballot = { call, voters: [] }));
    if (isAmong(ballot.voters, voter)) return false;
    ballot.voters.push(voter);
    return true;
  }

  /** The call that a majority has voted for, undefined if there is none. */
  winner(): VotedCall | undefined {
    const required = Math.floor(this.authorized.length / 2) + 1;
    return this.ballots.find((ballot) => ballot.voters.length >= required)?.call;
  }

  /** Removes the votes for the winning call. */
  clearWinner(): void {
    const winner = this.winner();
    if (winner !== undefined) this.ballots = this.ballots.filter(({ call }) => call !== winner);
  }

  clear(): void {
    this.ballots = [];
  }

  /** Sorts calls by signed bytes and voters by unsigned bytes. */
  encode(): Uint8Array {
    const sorted = [...this.ballots].sort((a, b) => compareSigned(orderKey(a.call), orderKey(b.call)));
    return encodeRlp(
      sorted.flatMap(({ call, voters }) => [
        new RawRlp(encodeRlp([utf8(call.name), [...call.args]])),
        [...voters].sort(compareBytes),
      ]),
    );
  }
}

export function isAmong(addresses: readonly Uint8Array[], address: Uint8Array): boolean {
  return addresses.some((candidate) => equalBytes(candidate, address));
}

function isSameCall(a: VotedCall, b: VotedCall): boolean {
  return a.name === b.name && a.args.length === b.args.length && a.args.every((arg, i) => equalBytes(arg, b.args[i]!));
}

function orderKey({ name, args }: VotedCall): Uint8Array {
  return joinBytes([utf8(name), ...args]);
}

/** Flipping the sign bits turns signed order into unsigned order. */
function compareSigned(a: Uint8Array, b: Uint8Array): number {
  const flip = (bytes: Uint8Array): Uint8Array => bytes.map((byte) => byte ^ 0x80);
  return compareBytes(flip(a), flip(b));
}
