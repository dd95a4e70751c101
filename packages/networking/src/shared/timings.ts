/** Time limits and intervals in milliseconds (`spec/07 §D.5`, `§D.6`). */
export interface Timings {
  /** Time limit for Noise and the muxer, and again from the connection to the exchange of Status. */
  handshake: number;
  /** Delay before the listening side requests Status itself: half of the time limit. */
  askStatus: number;
  openStream: number;
  /** Time limit for a request to arrive completely. */
  request: number;
  /** Time limit from one frame of an answer to the next. */
  frame: number;
  /** Time limit for a whole answer, on both sides. */
  answer: number;
  /** Time limit for a frame to leave our send buffers. */
  drain: number;
  /** Scales the time limit of each protocol for the first byte of an answer. */
  firstByteFactor: number;
  /** Interval of the peer manager. */
  heartbeat: number;
  /** Initial delay before a failed dial is repeated: less than a heartbeat, so that the next one dials. */
  redial: number;
  /** Age at which Status is exchanged again, which finds connections that were lost silently. */
  statusAge: number;
  goodbye: number;
}

/** The timings of a public network, multiplied by `factor`: tests use shorter ones. */
export function timingsOf(factor = 1): Timings {
  const seconds = (count: number) => Math.round(count * 1000 * factor);
  return {
    handshake: seconds(10),
    askStatus: seconds(5),
    openStream: seconds(5),
    request: seconds(5),
    frame: seconds(5),
    answer: seconds(30),
    drain: seconds(10),
    firstByteFactor: factor,
    heartbeat: seconds(5),
    redial: seconds(2.5),
    statusAge: seconds(60),
    goodbye: seconds(1),
  };
}

/**
 * Returns the timings of development networks, where tests mine dozens of blocks while they wait. Shorter intervals let
 * the next Status show a block that gossip dropped.
 */
export function developmentTimings(): Timings {
  return { ...timingsOf(), heartbeat: 2000, redial: 1000, statusAge: 3000 };
}
