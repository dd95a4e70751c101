import { type OutgoingHttpHeaders, request } from "node:http";
import { parseJson } from "@cambium/primitives";

export interface HttpRequest {
  port: number;
  method?: string;
  path?: string;
  headers: OutgoingHttpHeaders;
  body?: string;
}

/** Sends a request to localhost with exactly the given headers; `json` is undefined if the body is not JSON. */
export function send({ port, method = "POST", path = "/", headers, body }: HttpRequest) {
  return new Promise<{ status: number; json: unknown }>((resolve, reject) => {
    const outgoing = request({ host: "127.0.0.1", port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode!, json: parseJson(Buffer.concat(chunks).toString()) }),
      );
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
