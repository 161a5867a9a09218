import { Html, html, mark } from "@tollgate/gateway/html"
import { style } from "./style.ts"

/** The account that is signed in, and the form that signs it out. */
export interface SignedIn {
  readonly label: string
  readonly account: string
  readonly signOut: Form
}

/** Where a form goes, and the token that proves that this page made it. */
export interface Form {
  readonly action: string
  readonly token: string
}

export interface Frame {
  /** What the gateway is called. */
  readonly name: string
  readonly title: string
  readonly signedIn?: SignedIn | undefined
  readonly wide?: boolean
}

export const tokenField = ({ token }: Form): Html => html`<input type="hidden" name="token" value="${token}" />`

const styleElement = Html.style(style)

const signOut = ({ account, label, signOut }: SignedIn): Html =>
  html`<form class="who" method="post" action="${signOut.action}">
    ${tokenField(signOut)}<span title="${account}">${label === "" ? account : label}</span><button>Sign out</button>
  </form>`

/** A whole page. */
export const layout = ({ name, signedIn, title, wide = false }: Frame, content: Html): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} · ${name}</title>
        ${styleElement}
      </head>
      <body>
        <header class="${wide ? "wide" : ""}">
          <div class="brand">${mark}<span>${name}</span></div>
          ${signedIn && signOut(signedIn)}
        </header>
        <main class="${wide ? "wide" : ""}">${content}</main>
      </body>
    </html> `
