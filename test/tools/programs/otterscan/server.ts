import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** Path of names of methods and chains, which a build lacks. */
const NAMES = "/names";

/** Serves the files of a build. Routes of the page, which have no file, get its document. */
export class OtterscanServer {
  private configuration = "{}";

  private constructor(
    private readonly build: string,
    private readonly server: Server,
  ) {
    server.on("request", (request, response) => {
      const { pathname } = new URL(request.url!, this.url);
      this.answer(pathname).then(
        (body) => response.setHeader("content-type", TYPES[extname(pathname)] ?? TYPES[".html"]!).end(body),
        () => response.writeHead(404).end(),
      );
    });
  }

  static async open(build: string): Promise<OtterscanServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new OtterscanServer(build, server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Configures the page for a node, and returns its URL. */
  showing(node: string): string {
    const coin = { name: "Coin", symbol: "COIN", decimals: 18 };
    const chainInfo = { name: "Local", faucets: [], nativeCurrency: coin };
    this.configuration = JSON.stringify({
      erigonURL: node,
      assetsURLPrefix: `${this.url}${NAMES}`,
      chainInfo,
    });
    return this.url;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private async answer(path: string): Promise<string | Uint8Array> {
    if (path === "/config.json") return this.configuration;
    const isRoute = extname(path) === "" && !path.startsWith(NAMES);
    const file = isRoute ? "index.html" : normalize(path);
    return readFile(join(this.build, file));
  }
}
