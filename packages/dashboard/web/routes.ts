import { useEffect, useState } from "preact/hooks";
import { type Route, routeOf } from "./format/route.js";

export { linkTo, routeOf } from "./format/route.js";

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return routeOf(hash);
}
