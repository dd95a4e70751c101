/** Reasons in the `goodbye` protocol. */
export const GOODBYE = {
  shutdown: 1,
  wrongNetwork: 2,
  misbehaved: 3,
  tooManyPeers: 4,
  banned: 5,
  tooSlow: 6,
  duplicate: 7,
  requested: 8,
} as const;

export type Goodbye = keyof typeof GOODBYE;

const NAMES = new Map<number, Goodbye>((Object.keys(GOODBYE) as Goodbye[]).map((name) => [GOODBYE[name], name]));

/** Returns the name of a reason; undefined for reasons of later versions. */
export function goodbyeOf(reason: number): Goodbye | undefined {
  return NAMES.get(reason);
}

const TEXTS: Readonly<Record<Goodbye, string>> = {
  shutdown: "the node stops",
  wrongNetwork: "another network or genesis block",
  misbehaved: "protocol violation",
  tooManyPeers: "too many peers",
  banned: "banned",
  tooSlow: "too slow",
  duplicate: "duplicate connection",
  requested: "requested",
};

/** Text for a connection that was closed without a reason. */
export const CONNECTION_LOST = "connection lost";

/** Why a connection ended, for operators; undefined is a reason of a later version. */
export function goodbyeText(side: "own" | "peer", goodbye: Goodbye | undefined): string {
  const reason = goodbye === undefined ? "unknown reason" : TEXTS[goodbye];
  return `${side === "own" ? "disconnected by this node" : "disconnected by the peer"}: ${reason}`;
}

const MINUTE = 60_000;

/** Milliseconds during which a peer that disconnected for a reason is not dialled. */
export const REDIAL_DELAYS: Readonly<Record<Goodbye, number>> = {
  shutdown: 0,
  wrongNetwork: 60 * MINUTE,
  misbehaved: 5 * MINUTE,
  tooManyPeers: 5 * MINUTE,
  banned: 60 * MINUTE,
  tooSlow: MINUTE,
  duplicate: 0,
  requested: MINUTE,
};
