/** A result that is already JSON text: a number that JavaScript cannot represent, or the result of another thread. */
export class JsonText {
  constructor(readonly text: string) {}

  /** Serves callers that serialise the response with `JSON.stringify`. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}
