/** How long things may take, in milliseconds (`spec/07 §D.5`, `§D.6`). */
export interface Timings {
  /** Noise and muxer; and again from the connection to the exchange of Status. */
  handshake: number;
  /** After which who was called asks for Status itself: half of the time there is. */
  askStatus: number;
  openStream: number;
  /** For a request to arrive whole. */
  request: number;
  /** From one frame of an answer to the next. */
  frame: number;
  /** A whole answer, for who asks and for who answers. */
  answer: number;
  /** For a frame to leave our buffers. */
  drain: number;
  /** What the first byte of a protocol's answer may take is multiplied by this. */
  firstByteFactor: number;
  /** Between two looks at the peers we have. */
  heartbeat: number;
  /** Before who did not answer is called again, at first: below a heartbeat, so that it is the next one that calls. */
  redial: number;
  /** After which Status is exchanged again. */
  statusAge: number;
  goodbye: number;
}

/** `patience` scales every one of them: tests have less of it. */
export function timingsOf(patience = 1): Timings {
  const seconds = (count: number) => Math.round(count * 1000 * patience);
  return {
    handshake: seconds(10),
    askStatus: seconds(5),
    openStream: seconds(5),
    request: seconds(5),
    frame: seconds(5),
    answer: seconds(30),
    drain: seconds(10),
    firstByteFactor: patience,
    heartbeat: seconds(5),
    redial: seconds(2.5),
    statusAge: seconds(60),
    goodbye: seconds(1),
  };
}

/**
 * Where nodes come and go and blocks are mined by the dozen while somebody waits for them, peers are looked after more
 * often: what gossip had no room for is seen by the next Status.
 */
export function developmentTimings(): Timings {
  return { ...timingsOf(), heartbeat: 2000, redial: 1000, statusAge: 3000 };
}
