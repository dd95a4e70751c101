declare module "proxy-from-env" {
  /** The proxy that `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` say for a URL; empty if there is none. */
  export function getProxyForUrl(url: string | URL): string;
}
