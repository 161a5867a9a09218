import { foreignText } from "@tollgate/gateway/html"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { documentStatus } from "../clientMetadata.ts"
import { type Message, messagePage, messages } from "./messages.ts"
import { type Page, page } from "./Page.ts"

interface Failure {
  readonly error: string
  readonly error_description?: string | undefined
  /** Said by the library, and not to clients. */
  readonly error_detail?: string | undefined
}

/** The app's description of itself, at the address that is its id, was asked for and is not one. */
const unreadDocument = (detail = ""): Message => {
  const status = Number(/\d+$/.exec(detail)?.[0])
  const why =
    status === documentStatus.invalid
      ? "is not a valid description of an app"
      : status === documentStatus.unreachable
        ? "cannot be reached from this gateway"
        : "is not there"
  return {
    status: 400,
    title: "This app cannot be checked",
    text: `The page in which it describes itself ${why}. Nobody got access. Try again later, or tell the maker of the app.`
  }
}

const messageOf = (status: number, failure: Failure): Message => {
  const { error, error_description: description, error_detail } = failure
  if (error === "invalid_client") {
    return description?.includes("metadata document") === true ? unreadDocument(error_detail) : messages.unknownClient
  }
  // Ours alone have no client to return to.
  if (description !== undefined && /session|expired/.test(description)) return messages.expired
  return {
    status,
    title: "This request is not valid",
    text: `The app asked for access in a wrong way: ${foreignText(description ?? error, 300)}`
  }
}

/** An error of the authorization server that cannot be sent back to the client. */
export const errorPage = (name: string, status: number, failure: Failure): Page => {
  const message = messageOf(status, failure)
  return page(status, messagePage(name, message))
}

/** A page on its own, for what is refused before the pages are asked. */
export const refusedPage = (
  name: string,
  message: Message,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse => {
  const { body, headers: all, status } = page(message.status, messagePage(name, message), { headers })
  return HttpServerResponse.text(body, { status, headers: all })
}
