/** Describes the first difference of two JSON values; undefined if they are equal. The order of members is ignored. */
export function firstDifference(actual: unknown, expected: unknown, path = "answer"): string | undefined {
  if (!isObject(actual) || !isObject(expected) || Array.isArray(actual) !== Array.isArray(expected)) {
    if (Object.is(actual, expected)) return undefined;
    return `${path} is ${abridge(actual)} instead of ${abridge(expected)}`;
  }
  for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const difference = firstDifference(actual[name], expected[name], `${path}.${name}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function abridge(value: unknown): string {
  const text = value === undefined ? "absent" : JSON.stringify(value);
  return text.length <= 160 ? text : `${text.slice(0, 157)}...`;
}
