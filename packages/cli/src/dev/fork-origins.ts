import { shownUrl } from "@cambium/primitives";
import { CliError } from "../errors.js";

/**
 * The endpoints that `hardhat_reset` may fork: those that the command line names. Its callers may be web pages, which must not choose whom
 * this node sends requests to.
 */
export class ForkOrigins {
  private readonly origins = new Set<string>();

  /** `fork` is the source of the first chain, `allowed` the origins in `--fork.allow`. Throws {@link CliError} `INVALID_OPTION`. */
  constructor(fork: string | undefined, allowed: readonly string[]) {
    if (fork !== undefined) this.origins.add(originOf(fork));
    for (const text of allowed) {
      if (text !== "*" && !isHttp(text)) {
        const expected = "origins such as https://rpc.example.org, or *";
        throw new CliError({ code: "INVALID_OPTION", option: "--fork.allow", value: text, expected });
      }
      this.origins.add(originOf(text));
    }
  }

  /** Throws {@link CliError} `FORK_REFUSED` for an endpoint that is not among them; `source` may also be a folder. */
  require(source: string): void {
    const origin = originOf(source);
    if (!isHttp(source) || this.origins.has("*") || this.origins.has(origin)) return;
    throw new CliError({ code: "FORK_REFUSED", origin });
  }
}

function isHttp(source: string): boolean {
  return /^https?:\/\//.test(source);
}

/** Scheme, host and port of a URL. */
function originOf(source: string): string {
  return isHttp(source) && URL.canParse(source) ? new URL(source).origin : shownUrl(source);
}
