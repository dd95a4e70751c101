import type { RandomChoice } from "../random-choice.js";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const VALUES: readonly Json[] = [
  ...[null, true, false, 0, -1, 1.5, 2 ** 31, 2 ** 53, 1e308, -0, "", "0x", "0x0", "-0x1", "0x1", "latest", "pending"],
  ...["earliest", `0x${"f".repeat(64)}`, `0x${"00".repeat(20)}`, `0x${"f".repeat(16)}`, "é\ud800", "__proto__", [], {}],
];

/** Changes a value somewhere in a JSON text. Returns undefined if the text is no JSON. */
export function mutateJson(
  data: Uint8Array,
  other: Uint8Array,
  words: readonly Uint8Array[],
  random: RandomChoice,
): Uint8Array | undefined {
  const root = { value: parse(data) };
  if (root.value === undefined) return undefined;
  const places = placesOf(root as Record<string, Json>);
  const { container, name } = random.pick(places);
  const list = container as Record<string, Json>;
  switch (random.below(6)) {
    case 0:
      if (Array.isArray(container)) container.splice(Number(name), 1);
      else delete list[name];
      break;
    case 1:
      if (Array.isArray(container)) container.push(list[name]!);
      else list[wordOf(words, random)] = list[name]!;
      break;
    case 2:
      list[name] = random.chance(0.5) ? [list[name]!] : { [wordOf(words, random)]: list[name]! };
      break;
    case 3: {
      const foreign = { value: parse(other) };
      if (foreign.value !== undefined) {
        const from = random.pick(placesOf(foreign as Record<string, Json>));
        list[name] = (from.container as Record<string, Json>)[from.name]!;
      }
      break;
    }
    case 4:
      list[name] = wordOf(words, random);
      break;
    default:
      list[name] = random.pick(VALUES);
  }
  const text = JSON.stringify(root.value);
  return text === undefined ? undefined : Buffer.from(text);
}

function wordOf(words: readonly Uint8Array[], random: RandomChoice): string {
  return words.length === 0 ? "a" : Buffer.from(random.pick(words)).toString();
}

function parse(data: Uint8Array): Json | undefined {
  try {
    return JSON.parse(Buffer.from(data).toString()) as Json;
  } catch {
    return undefined;
  }
}

interface Place {
  container: Json[] | Record<string, Json>;
  name: string;
}

function placesOf(root: Record<string, Json>): Place[] {
  const containers: (Json[] | Record<string, Json>)[] = [root];
  const places: Place[] = [];
  for (const container of containers) {
    for (const [name, value] of Object.entries(container)) {
      places.push({ container, name });
      if (typeof value === "object" && value !== null) containers.push(value);
    }
  }
  return places;
}
