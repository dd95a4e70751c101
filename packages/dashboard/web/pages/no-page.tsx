import { linkTo, useRoute } from "../routes.js";

/** The page of an unknown address. */
export function NoPage() {
  const { page } = useRoute();
  return (
    <p class="notice">
      There is no page “{page}”. The menu lists all pages, and the search box finds blocks, transactions and addresses.
      Go to the <a href={linkTo("overview")}>overview</a>.
    </p>
  );
}
