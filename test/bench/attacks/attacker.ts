import { ATTACKS } from "./attacks.js";

/** A process that carries out the attack named by its first argument until it is killed. */
const [name, http, ws] = process.argv.slice(2);
const attack = ATTACKS.find((one) => one.name === name)!;
const target = { http: Number(http), ws: Number(ws) };
await attack.prepare?.(target);
process.send!("prepared");
process.on("disconnect", () => process.exit());
await attack.run(target, new AbortController().signal);
