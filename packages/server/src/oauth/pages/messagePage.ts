import { type Html, html } from "@tollgate/gateway/html"
import { layout, type SignedIn } from "./layout.ts"

export interface Message {
  readonly status: number
  readonly title: string
  /** What happened, and what to do next. */
  readonly text: string
  readonly link?: { readonly href: string; readonly text: string }
}

export const messagePage = (name: string, { link, text, title }: Message, signedIn?: SignedIn): Html =>
  layout(
    { name, title, signedIn },
    html`<div class="card">
      <h1>${title}</h1>
      <p>${text}</p>
      ${link && html`<p><a href="${link.href}">${link.text}</a></p>`}
    </div>`
  )
