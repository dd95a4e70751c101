import assert from "node:assert/strict";
import { type AddressInfo, createServer } from "node:net";
import { inspect } from "node:util";
import { openRedis } from "../src/redis.js";

describe("errors of a Redis server", () => {
  it("do not contain the password that it refuses", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.on("data", (data) => {
        const commands = data.toString().match(/^\*/gm) ?? [];
        socket.write("-WRONGPASS invalid username-password pair\r\n".repeat(commands.length));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const errors: Error[] = [];
    const url = `redis://user:hunter2@127.0.0.1:${(server.address() as AddressInfo).port}/0`;
    const client = await openRedis(url, "auth.redis", (error) => errors.push(error));
    client.disconnect();
    server.close();
    assert(errors.some(({ message }) => message.startsWith("WRONGPASS")));
    for (const error of errors) assert(!inspect(error).includes("hunter2"), inspect(error));
  });
});
