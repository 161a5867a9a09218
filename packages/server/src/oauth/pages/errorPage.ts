import { foreignText } from "@tollgate/gateway/html"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { type Message, messagePage, messages } from "./messages.ts"
import { type Page, page } from "./Page.ts"

const messageOf = (status: number, error: string, description: string | undefined): Message => {
  if (error === "invalid_client") return messages.unknownClient
  // Ours alone have no client to return to.
  if (description !== undefined && /session|expired/.test(description)) return messages.expired
  return {
    status,
    title: "This request is not valid",
    text: `The application asked for access in a wrong way: ${foreignText(description ?? error, 300)}`
  }
}

/** An error of the authorization server that cannot be sent back to the client. */
export const errorPage = (
  name: string,
  status: number,
  { error, error_description }: { readonly error: string; readonly error_description?: string | undefined }
): Page => {
  const message = messageOf(status, error, error_description)
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
