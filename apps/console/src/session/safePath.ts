/** A page of the console to go to, from an address that anybody may have written. All else leads to the first page. */
export const safePath = (asked: string | null | undefined): string => {
  // Browsers read "//" and "/\" as the start of a host, and drop tabs and line ends.
  if (typeof asked !== "string" || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(asked)) return "/"
  const url = URL.parse(asked, location.origin)
  return url === null || url.origin !== location.origin || url.pathname === "/sign-in"
    ? "/"
    : `${url.pathname}${url.search}${url.hash}`
}
