import { type Attack, hold, httpHead, httpRequest, repeat, textFrame, UPGRADE } from "./attack.js";

const MEGABYTE = 2 ** 20;

/** A frame of text that is not the last one of its message. */
function unfinishedFrame(length: number): Buffer {
  const frame = textFrame("x".repeat(length));
  frame[0] = 0x01;
  return frame;
}

/** Clients that read nothing, or send half of what they announce. */
export const SLOW_CLIENTS: readonly Attack[] = [
  {
    name: "400 HTTP clients that read nothing",
    run: ({ http }, stopped) => {
      const request = Buffer.from(httpRequest(JSON.stringify({ id: "x".repeat(5_000_000), method: "eth_chainId" })));
      return repeat(400, stopped, () => hold(http, request, (socket) => socket.pause()));
    },
  },
  {
    name: "clients that read nothing of the largest responses",
    run: ({ http }, stopped) => {
      const genesis = { method: "eth_getBlockByNumber", params: ["0x0", true] };
      const batch = Array.from({ length: 100 }, (_, id) => ({ id, ...genesis }));
      const requests = Buffer.from(httpRequest(JSON.stringify(batch)).repeat(20));
      return repeat(400, stopped, () => hold(http, requests, (socket) => socket.pause()));
    },
  },
  {
    name: "960 unfinished HTTP bodies",
    run: ({ http }, stopped) => {
      const start = Buffer.concat([Buffer.from(httpHead(5_000_000)), Buffer.alloc(4_900_000, " ")]);
      return repeat(960, stopped, () => hold(http, start));
    },
  },
  {
    name: "300 unfinished WebSocket messages",
    run: ({ ws }, stopped) => {
      const start = Buffer.concat([Buffer.from(UPGRADE), unfinishedFrame(5 * MEGABYTE - 1)]);
      return repeat(300, stopped, () => hold(ws, start));
    },
  },
  {
    name: "2000 idle sockets",
    run: ({ http, ws }, stopped) => repeat(2_000, stopped, (i) => hold(i % 2 ? http : ws, "")),
  },
  {
    name: "a flood of WebSocket pings whose answers are not read",
    run: ({ ws }, stopped) => {
      const pings = Buffer.alloc(131 * 500, Buffer.concat([Buffer.from([0x89, 0x80 | 125]), Buffer.alloc(129)]));
      return repeat(4, stopped, () =>
        hold(ws, UPGRADE, (socket) => {
          const flood = () => {
            while (socket.writable && socket.write(pings));
          };
          socket.pause().on("drain", flood);
          flood();
        }),
      );
    },
  },
  {
    name: "HTTP bodies in chunks of one byte",
    run: ({ http }, stopped) => {
      const head =
        "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
      const chunks = Buffer.alloc(5_000_000 * 6, "1\r\n \r\n");
      return repeat(4, stopped, () => hold(http, head, (socket) => socket.write(chunks)));
    },
  },
];
