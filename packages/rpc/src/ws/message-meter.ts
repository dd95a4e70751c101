const FINAL = 0x80;
const MASKED = 0x80;
const OPCODE = 0x0f;
const LENGTH = 0x7f;
/** First opcode of control frames, which may arrive between the frames of a message. */
const FIRST_CONTROL_OPCODE = 8;
const MASK_BYTES = 4;
const MAX_HEAD_BYTES = 14;

/**
 * Follows the frames that a client sends (RFC 6455, section 5.2), to know how much of an incomplete message the
 * receiver holds. The receiver checks the frames; this class only measures them.
 */
export class MessageMeter {
  /** Bytes of the complete messages, in their order; the receiver may still inflate them. */
  readonly complete: number[] = [];
  /** Number of pings, pongs and close frames received. */
  controlFrames = 0;
  private readonly head = Buffer.alloc(MAX_HEAD_BYTES);
  private headLength = 0;
  /** Number of missing bytes of the current frame's payload. */
  private missing = 0;
  private frameBytes = 0;
  /** Size of the message's frames before the current one, in bytes. */
  private messageBytes = 0;

  /** Number of received bytes of an incomplete message or frame. */
  get unfinished(): number {
    return this.messageBytes + this.frameBytes;
  }

  add(chunk: Buffer): void {
    for (let position = 0; position < chunk.length; ) {
      const taken = this.missing > 0 ? Math.min(this.missing, chunk.length - position) : 1;
      if (this.missing > 0) this.missing -= taken;
      else this.addToHead(chunk[position]!);
      position += taken;
      this.frameBytes += taken;
      if (this.headLength === this.wholeHead && this.missing === 0) this.endFrame();
    }
  }

  private addToHead(byte: number): void {
    this.head[this.headLength++] = byte;
    if (this.headLength === this.wholeHead) this.missing = this.payloadLength();
  }

  /** Returns the length of the head, as far as it is known. */
  private get wholeHead(): number {
    if (this.headLength < 2) return 2;
    const [, second] = this.head as unknown as [number, number];
    return 2 + lengthBytes(second & LENGTH) + (second & MASKED ? MASK_BYTES : 0);
  }

  private payloadLength(): number {
    const short = this.head[1]! & LENGTH;
    if (short === 126) return this.head.readUInt16BE(2);
    return short === 127 ? Number(this.head.readBigUInt64BE(2)) : short;
  }

  private endDataFrame(bytes: number): void {
    const isLast = (this.head[0]! & FINAL) !== 0;
    if (isLast) this.complete.push(bytes);
    this.messageBytes = isLast ? 0 : bytes;
  }

  private endFrame(): void {
    if ((this.head[0]! & OPCODE) >= FIRST_CONTROL_OPCODE) this.controlFrames++;
    else this.endDataFrame(this.messageBytes + this.frameBytes);
    this.frameBytes = 0;
    this.headLength = 0;
  }
}

/** Returns the length of the extended payload length, in bytes. */
function lengthBytes(short: number): number {
  if (short === 127) return 8;
  return short === 126 ? 2 : 0;
}
