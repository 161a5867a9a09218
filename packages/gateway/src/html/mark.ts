import { html } from "./html.ts"

/** The gateway's sign: a raised barrier. */
export const mark = html`<svg
  viewBox="0 0 24 24"
  fill="none"
  stroke="currentColor"
  stroke-width="2.5"
  stroke-linecap="round"
  aria-hidden="true"
>
  <path d="M5 21V8M2.5 21h5M8 11.5 21 4" />
  <circle cx="5" cy="11" r="2.5" fill="currentColor" stroke="none" />
</svg>`
