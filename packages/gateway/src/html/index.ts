// For packages that make pages: the template that escapes, and the look that all pages share.
export { untrustedText, Html, html, mark, theme } from "./html.ts"
