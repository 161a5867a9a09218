import { untrustedText, html } from "@tollgate/gateway/html"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { layout, type Page, page } from "./Page.ts"

export interface Message {
  readonly status: number
  readonly title: string
  /** What happened, and what to do next. */
  readonly text: string
}

type Headers = Readonly<Record<string, string>>

export const messagePage = (name: string, { status, text, title }: Message, headers: Headers = {}): Page => {
  const body = html`<div class="card">
    <h1>${title}</h1>
    <p>${text}</p>
  </div>`
  return page(status, layout({ name, title }, body), { headers })
}

const connectAgain = "Go back to the app and connect again."

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

interface Failure {
  readonly error: string
  readonly error_description?: string | undefined
}

/** The app's description of itself, at the address that is its id, was asked for and is not one. */
const unreadDocument: Message = {
  status: 400,
  title: "This app cannot be checked",
  text: "The page in which it describes itself cannot be read, or is not a valid description of an app. Nobody got access. Try again later, or tell the maker of the app."
}

const messageOf = (status: number, failure: Failure): Message => {
  const { error, error_description: description } = failure
  if (error === "invalid_client") {
    return description?.includes("metadata document") === true ? unreadDocument : messages.unknownClient
  }
  // Ours alone have no client to return to.
  if (description !== undefined && /session|expired/.test(description)) return messages.expired
  return {
    status,
    title: "This request is not valid",
    text: `The app asked for access in a wrong way: ${untrustedText(description ?? error, 300)}`
  }
}

/** An error of the authorization server that cannot be sent back to the client. */
export const errorPage = (name: string, status: number, failure: Failure): Page =>
  messagePage(name, messageOf(status, failure))

/** A page on its own, for what is refused before the pages are asked. */
export const refusedPage = (
  name: string,
  message: Message,
  headers?: Headers
): HttpServerResponse.HttpServerResponse => {
  const { body, headers: all, status } = messagePage(name, message, headers)
  return HttpServerResponse.text(body, { status, headers: all })
}
