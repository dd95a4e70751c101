declare module "proxy-from-env" {
  /**
   * Returns the proxy that `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` define for a URL; empty if there is
   * none.
   */
  export function getProxyForUrl(url: string | URL): string;
}
