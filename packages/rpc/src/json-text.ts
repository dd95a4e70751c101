/** A result that is JSON text already: a number that JavaScript's cannot hold, or an answer of another thread. */
export class JsonText {
  constructor(readonly text: string) {}

  /** For whoever serialises a response that holds this. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}
