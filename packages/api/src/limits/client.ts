/** The client of a request, as answers and queues count it. */
export interface Client {
  /** Its API key, or its address (for IPv6, the /64) if no keys are configured. */
  readonly identity: string;
  /**
   * Unit among which threads are shared fairly: the identity, or one connection of an address that many programs use.
   */
  readonly share: string;
  /** Network of the address, whose clients together get the share of a few; undefined for keys and this machine. */
  readonly network?: string;
}

/** Whether a client still waits for the response to a request. */
export interface Presence {
  /** Whether the client has disconnected. */
  readonly isGone: boolean;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** Asked before heavy work: whether the client has not given up, which may be known only a little later. */
  isAwaited?(): Promise<boolean>;
}

/** The presence of a client for which a signal is aborted when it disconnects. */
export function presenceBy(signal: AbortSignal): Presence {
  return {
    signal,
    get isGone() {
      return signal.aborted;
    },
  };
}

/** Requests of this process. */
export const OWN_CLIENT: Client = { identity: "", share: "" };
