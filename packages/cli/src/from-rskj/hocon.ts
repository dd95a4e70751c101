import { homedir } from "node:os";
import { CliError } from "../errors.js";

/** Value in a file of the deployed client: a text, quoted or not, a list, or an object by its names. */
export interface HoconValue {
  line: number;
  content: string | readonly HoconValue[] | HoconObject;
}
export type HoconObject = Map<string, HoconValue>;

/** Home folder, at which the deployed client's own files begin their folders. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of references in such files.
const HOME = "${user.home}";
/** Maximum nesting, each part of a dotted name included. */
const MAX_DEPTH = 32;
const BLANK = /[^\S\n]/;
/** Characters that end text without quotes. */
const RESERVED = /[\n,{}[\]"$:=+#`^?!@*&\\]/;

/**
 * Parses the part of HOCON that configuration files use: objects, dotted names, `=` and `:`, comments, strings, lists.
 * Objects of the same name merge; otherwise the last value counts. Throws {@link CliError} `CONFIG_FILE`, also for
 * substitutions other than `${user.home}`, includes and `+=`.
 */
export function parseHocon(path: string, text: string): HoconObject {
  return new HoconParser(path, text.replaceAll("\r\n", "\n")).file();
}

class HoconParser {
  private at = 0;
  private line = 1;

  constructor(
    private readonly path: string,
    private readonly text: string,
  ) {}

  file(): HoconObject {
    this.skip();
    const root = this.members(new Map(), this.takes("{") ? "}" : "", 1);
    this.skip();
    if (this.at < this.text.length) this.unexpected();
    return root;
  }

  /** Reads members up to a closing brace, or to the end of the file. */
  private members(into: HoconObject, end: "}" | "", depth: number): HoconObject {
    for (this.skip(); !this.ends(end); this.separator(end)) {
      const line = this.line;
      const names = this.names();
      if (depth + names.length > MAX_DEPTH) this.fail(`nested deeper than ${MAX_DEPTH}`);
      let object = into;
      for (const name of names.slice(0, -1)) object = this.child(object, name, line);
      this.member(object, names.at(-1)!, line, depth + names.length);
    }
    return into;
  }

  private member(object: HoconObject, name: string, line: number, depth: number): void {
    this.skip();
    if (this.text.startsWith("+=", this.at)) this.fail("'+=' is not read; write the whole list");
    if (!this.takes("=") && !this.takes(":") && this.here() !== "{") this.unexpected();
    this.skip();
    if (this.takes("{")) this.members(this.child(object, name, line), "}", depth);
    else {
      const content = this.value(depth);
      if (content === undefined) object.delete(name);
      else object.set(name, { line, content });
    }
  }

  /** The object of this name, which replaces a value of another type. */
  private child(object: HoconObject, name: string, line: number): HoconObject {
    const known = object.get(name)?.content;
    if (known instanceof Map) return known;
    const content: HoconObject = new Map();
    object.set(name, { line, content });
    return content;
  }

  /** Parts of a dotted name. */
  private names(): string[] {
    const names: string[] = [];
    do {
      while (BLANK.test(this.here())) this.at++;
      names.push(this.here() === '"' ? this.quoted() : this.unquoted(true));
      while (BLANK.test(this.here())) this.at++;
    } while (names.length <= MAX_DEPTH && this.takes("."));
    if (names[0] === "include" || /^include\s/.test(names[0]!)) {
      this.fail("include is not read; put the content of that file in place of this line");
    }
    return names;
  }

  /** `null`, which unsets a name, is undefined. Pieces of text with blanks between them are one text. */
  private value(depth: number): HoconValue["content"] | undefined {
    if (this.takes("[")) return this.list(depth + 1);
    if (this.takes("{")) return this.members(new Map(), "}", depth + 1);
    const start = this.at;
    let text = "";
    let isQuoted = false;
    for (let blanks = ""; ; ) {
      if (this.here() === '"') {
        isQuoted = true;
        text += blanks + this.quoted();
      } else if (this.text.startsWith(HOME, this.at)) {
        this.at += HOME.length;
        text += blanks + homedir();
      } else if (this.isText()) text += blanks + this.unquoted(false);
      else break;
      for (blanks = ""; BLANK.test(this.here()); this.at++) blanks += this.here();
    }
    if (this.at === start) this.unexpected();
    return text === "null" && !isQuoted ? undefined : text;
  }

  private list(depth: number): HoconValue[] {
    if (depth > MAX_DEPTH) this.fail(`nested deeper than ${MAX_DEPTH}`);
    const items: HoconValue[] = [];
    for (this.skip(); !this.ends("]"); this.separator("]")) {
      const line = this.line;
      const content = this.value(depth);
      if (content !== undefined) items.push({ line, content });
    }
    return items;
  }

  /** A comma or the end of a line must follow each member and item, unless it is the last one. */
  private separator(end: "}" | "]" | ""): void {
    const before = this.line;
    this.skip();
    if (this.takes(",")) this.skip();
    else if (this.line === before && this.here() !== end) this.unexpected();
  }

  private ends(end: "}" | "]" | ""): boolean {
    if (end === "") return this.at >= this.text.length;
    if (this.at >= this.text.length) this.unexpected();
    return this.takes(end);
  }

  private unexpected(): never {
    const found = JSON.stringify(this.here())
      .slice(1, -1)
      .replace(/[\u007f-\u009f]/, "\ufffd");
    if (found === "") this.fail("the file ends too early");
    if (found === "$") this.fail("substitutions are not read; write the value in its place");
    this.fail(`unexpected '${found}'; text with such characters must be in quotes`);
  }

  private isText(): boolean {
    return this.here() !== "" && !RESERVED.test(this.here()) && !this.text.startsWith("//", this.at);
  }

  private unquoted(isName: boolean): string {
    const start = this.at;
    while (this.isText() && !(isName && this.here() === ".")) this.at++;
    if (this.at === start) this.unexpected();
    const text = this.text.slice(start, this.at).trimEnd();
    this.at = start + text.length;
    return text;
  }

  private quoted(): string {
    const start = this.at;
    if (this.text.startsWith('"""', start))
      this.fail('strings in """ are not read; write "…", with \\n for ends of lines');
    for (this.at++; this.here() !== '"'; this.at += this.here() === "\\" ? 2 : 1) {
      if (this.here() === "" || this.here() === "\n") this.fail("a string is not closed on its line");
    }
    try {
      return JSON.parse(this.text.slice(start, ++this.at)) as string;
    } catch {
      return this.fail("a string has an invalid escape or control character");
    }
  }

  /** Skips blanks, ends of lines and comments. */
  private skip(): void {
    for (; /\s/.test(this.here()) || this.here() === "#" || this.text.startsWith("//", this.at); this.at++) {
      if (!/\s/.test(this.here())) {
        const end = this.text.indexOf("\n", this.at);
        this.at = end < 0 ? this.text.length : end;
      }
      if (this.here() === "\n") this.line++;
    }
  }

  private takes(character: string): boolean {
    if (this.here() !== character) return false;
    this.at++;
    return true;
  }

  private here(): string {
    return this.text[this.at] ?? "";
  }

  private fail(reason: string): never {
    throw new CliError({ code: "CONFIG_FILE", path: this.path, problems: [{ line: this.line, reason }] });
  }
}
