/** Returns a view of an object in which `overrides` replace its own members. The object itself is not changed. */
export function withOverrides<T extends object>(target: T, overrides: Partial<T>): T {
  return new Proxy(target, {
    get(_, key) {
      if (key in overrides) return Reflect.get(overrides, key);
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
