/** The client of a request, as answers and queues count it. */
export interface Client {
  /** Its API key, or its address (for IPv6, the /64) if no keys are configured. */
  readonly identity: string;
  /**
   * Unit among which threads are shared fairly: the identity, or one connection of an address that many programs use.
   */
  readonly share: string;
  /** Network of the address, whose clients together share the budget of a few; undefined for keys and this machine. */
  readonly network?: string;
}

/** Whether a client still waits for the response to a request. */
export interface Presence {
  /** Whether the client has disconnected. */
  readonly isGone: boolean;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** Whether the client has not given up; called before heavy work, because a disconnection is noticed with a delay. */
  isAwaited?(): Promise<boolean>;
}

/** Creates the presence of a client whose disconnection aborts a signal. */
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
