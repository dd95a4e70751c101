import { type AbiArgument, equalBytes } from "@cambium/primitives";
import type { Implementations } from "../abi/implementation.js";
import { readPublicKey } from "../bitcoin/public-key.js";
import { commitPending } from "../federation/commitment.js";
import { pendingFederationHash } from "../model/federation.js";
import type { BridgeSession } from "../session.js";
import { CELLS } from "../storage/cells.js";
import { Election, isAmong } from "./election.js";

// Votes for a new federation: spec/06b-2 §2.

const SUCCESS = 1n;
const PENDING_EXISTS = -1n;
const NONE_PENDING = -1n;
const AWAITS_ACTIVATION = -2n;
const ALREADY_MEMBER = -2n;
const TOO_FEW_MEMBERS = -2n;
const RETIRING_EXISTS = -3n;
const OTHER_HASH = -3n;
const PROPOSED_EXISTS = -4n;
const ERROR = -10n;

const MIN_MEMBERS = 2;

type Args = readonly Uint8Array[];

/** A change that can be voted for. `check` runs for every vote, `apply` only for a decision. */
interface FederationChange {
  /** Function name in the election. */
  readonly name: string;
  /** {@link SUCCESS}, or the code of why the change is not possible now. */
  check(session: BridgeSession, args: Args): bigint;
  apply(session: BridgeSession, args: Args, election: Election): void;
}

const create: FederationChange = {
  name: "create",
  check(session) {
    const { storage } = session;
    if (storage.pendingFederation !== undefined) return PENDING_EXISTS;
    if (storage.proposedFederation !== undefined) return PROPOSED_EXISTS;
    const { active, retiring } = session.federations;
    if (storage.newFederation !== undefined && active !== storage.newFederation) return AWAITS_ACTIVATION;
    return retiring === undefined ? SUCCESS : RETIRING_EXISTS;
  },
  apply({ storage }, _args, election) {
    storage.setPendingFederation([]);
    election.clear();
  },
};

/** Adds a member by its parent-chain, node and third key; before RSKIP-123, one key serves for all three. */
function addition(name: string): FederationChange {
  return {
    name,
    check({ storage }, args) {
      const keys = args.map((key) => readPublicKey(key)?.compressed);
      const [btc, rsk = btc, mst = btc] = keys;
      if (btc === undefined || rsk === undefined || mst === undefined || keys.includes(undefined)) return ERROR;
      const pending = storage.pendingFederation;
      if (pending === undefined) return NONE_PENDING;
      const isUsed = pending.some(
        (member) => equalBytes(member.btc, btc) || equalBytes(member.rsk, rsk) || equalBytes(member.mst, mst),
      );
      return isUsed ? ALREADY_MEMBER : SUCCESS;
    },
    apply({ storage }, args) {
      const [btc, rsk, mst] = args.map((key) => readPublicKey(key)!.compressed);
      const member = { btc: btc!, rsk: rsk ?? btc!, mst: mst ?? btc! };
      storage.setPendingFederation([...storage.pendingFederation!, member]);
    },
  };
}

const addSingleKey = addition("add");
const addMultiKey = addition("add-multi");

const commit: FederationChange = {
  name: "commit",
  check(session, [hash]) {
    if (hash!.length !== 32) session.fail("commitFederation", "not a federation hash");
    const pending = session.storage.pendingFederation;
    if (pending === undefined) return NONE_PENDING;
    if (pending.length < MIN_MEMBERS) return TOO_FEW_MEMBERS;
    return equalBytes(hash!, pendingFederationHash(pending)) ? SUCCESS : OTHER_HASH;
  },
  apply(session, _args, election) {
    commitPending(session);
    election.clear();
  },
};

const rollback: FederationChange = {
  name: "rollback",
  check: ({ storage }) => (storage.pendingFederation === undefined ? NONE_PENDING : SUCCESS),
  apply({ storage }, _args, election) {
    storage.setPendingFederation(undefined);
    election.clear();
  },
};

/**
 * Records the caller's vote and applies a change that reached a majority. A vote for a change that is not possible now
 * is not recorded; repeating a vote is an error.
 */
function vote(session: BridgeSession, change: FederationChange, args: Args): bigint {
  const { storage, network, context } = session;
  const authorizers = network.bridge.authorizers.federationChange;
  if (!isAmong(authorizers, context.caller)) return ERROR;
  const code = change.check(session, args);
  if (code !== SUCCESS) return code;

  const election = Election.decode(storage.loadList(CELLS.federationElection), authorizers);
  if (election === undefined) return session.fail(change.name, "a stored voter is not an authorizer");
  if (!election.vote({ name: change.name, args }, context.caller)) return ERROR;
  const result = decide(session, change, election);
  storage.write(CELLS.federationElection, election.encode());
  return result;
}

function decide(session: BridgeSession, change: FederationChange, election: Election): bigint {
  const winner = election.winner();
  if (winner === undefined) return SUCCESS;
  const code = change.check(session, winner.args);
  if (code === SUCCESS) change.apply(session, winner.args, election);
  election.clearWinner();
  return code;
}

const voteWith =
  (change: FederationChange) =>
  (session: BridgeSession, args: readonly AbiArgument[]): bigint =>
    vote(session, change, args as Args);

/** Methods that elect a new federation. */
export const federationVotes: Implementations = {
  "createFederation()": voteWith(create),
  "addFederatorPublicKey(bytes)": voteWith(addSingleKey),
  "addFederatorPublicKeyMultikey(bytes,bytes,bytes)": voteWith(addMultiKey),
  "commitFederation(bytes)": voteWith(commit),
  "rollbackFederation()": voteWith(rollback),
};
