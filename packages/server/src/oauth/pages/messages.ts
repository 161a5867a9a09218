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

const connectAgain = "Go back to the app and connect again."

/** The pages that say why there is nothing to do here. */
export const messages = {
  expired: {
    status: 400,
    title: "This request has ended",
    text: `It was decided, it has expired, or it was begun in another browser. ${connectAgain}`
  },
  unknownClient: {
    status: 400,
    title: "This app is not known",
    text: `Its registration has expired, or it never registered. ${connectAgain}`
  },
  usedLink: {
    status: 400,
    title: "This link no longer works",
    text: "A sign-in link works once, within 15 minutes. Ask for a new one, or sign in with a key."
  },
  endedGrant: {
    status: 409,
    title: "This access has ended",
    text: "Nothing was changed. Connect the app again to give it access."
  },
  stale: {
    status: 403,
    title: "This page was out of date",
    text: "You signed in or out in the meantime, or your browser keeps no cookies for this site. Nothing was changed: open the page again."
  },
  foreign: {
    status: 403,
    title: "This form came from another site",
    text: "Nothing was changed. Open the page here and try again."
  },
  400: { status: 400, title: "This form is not valid", text: "Nothing was changed. Open the page again." },
  404: { status: 404, title: "Page not found", text: "Check the address." },
  405: { status: 405, title: "This is not how this page is used", text: "Open it in a browser." },
  413: { status: 413, title: "This form is too large", text: "Nothing was changed. Open the page again." },
  415: { status: 415, title: "This form is not valid", text: "Nothing was changed. Open the page again in a browser." },
  429: {
    status: 429,
    title: "Too many requests",
    text: "Many requests came from your network. Wait a moment, then open the page again."
  },
  failed: {
    status: 500,
    title: "Something went wrong here",
    text: "Try again. If it stays, tell the operator of this gateway."
  },
  unavailable: {
    status: 503,
    title: "Not available right now",
    text: "The store cannot be read or written. Nothing was changed: try again in a moment."
  }
} satisfies Readonly<Record<string, Message>>
