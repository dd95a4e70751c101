import { ManualClock } from "@cambium/test-utils/manual-clock";
import { SILENT } from "@cambium/test-utils/silent-logger";
import type { RlpxError } from "../../src/errors.js";
import { decodeMessage, encodeMessage } from "../../src/rsk/encoding.js";
import type { MessageChannel } from "../../src/rsk/message-channel.js";
import type { RskMessage, RskNotification, RskResponse } from "../../src/rsk/messages.js";
import { type IncomingRequest, RskSession, type SessionHandlers } from "../../src/rsk/session.js";
import { FIRST_VERSION } from "../../src/rsk/versions.js";

export interface SentMessage {
  time: number;
  message: RskMessage;
}

/** A channel that keeps sent messages; it can be made to block. */
class RecordingChannel implements MessageChannel {
  readonly sent: SentMessage[] = [];
  readonly closings: string[] = [];
  waiting = 0;
  private resume: (() => void) | undefined;
  isBlocking = false;

  constructor(private readonly clock: ManualClock) {}

  send(code: number, payload: Uint8Array): boolean {
    this.sent.push({ time: this.clock.now(), message: decodeMessage(code, payload) });
    return !this.isBlocking;
  }

  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.resume = resolve;
    });
  }

  noteWaiting(bytes: number): void {
    this.waiting = bytes;
  }

  close(reason: string): void {
    this.closings.push(reason);
  }

  async drain(): Promise<void> {
    this.isBlocking = false;
    this.resume?.();
    await settled();
  }
}

/** Lets resolved promises run their reactions. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A session whose peer is the test. */
export class SessionUnderTest {
  readonly clock = new ManualClock();
  readonly channel = new RecordingChannel(this.clock);
  readonly requests: IncomingRequest[] = [];
  readonly notifications: RskNotification[] = [];
  readonly unexpected: RskResponse[] = [];
  readonly malformed: RlpxError[] = [];
  excess = 0;
  readonly session: RskSession;

  constructor(own: Partial<SessionHandlers> = {}, version = FIRST_VERSION) {
    this.session = new RskSession({
      version,
      channel: this.channel,
      clock: this.clock,
      logger: SILENT,
      handlers: {
        onRequest: (request) => void this.requests.push(request),
        onNotification: (message) => void this.notifications.push(message),
        onUnexpected: (response) => void this.unexpected.push(response),
        onMalformed: (error) => void this.malformed.push(error),
        onExcess: () => void this.excess++,
        ...own,
      },
    });
  }

  get sent(): RskMessage[] {
    return this.channel.sent.map(({ message }) => message);
  }

  receive(message: RskMessage): void {
    const { code, payload } = encodeMessage(message);
    this.session.receive(code, payload);
  }
}
