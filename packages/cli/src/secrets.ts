import { shownPath } from "@cambium/primitives";

/** A text without the passwords, tokens and keys of the URLs in it, which are `***`. */
export function withoutSecrets(text: string): string {
  return text
    .replace(/(:\/\/[^:@/\s]*:)\S*@/g, "$1***@")
    .replace(/(:\/\/)[^:@/\s]+@/g, "$1***@")
    .replace(/([?&][^=&\s]*=)[^&\s]*/g, "$1***")
    .replace(/(:\/\/[^/?#\s,]+)(\/[^?#\s,]*)/g, (_, start: string, path: string) => start + shownPath(path));
}
