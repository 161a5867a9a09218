// For packages that make pages: the template that escapes, and the look that all pages share.
export { foreignText, Html, html } from "./html.ts"
export { mark } from "./mark.ts"
export { theme } from "./theme.ts"
