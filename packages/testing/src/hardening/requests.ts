import { key } from "../TestGateway.ts"

const text = "Rivers bend because water runs faster on the outside of a curve than on the inside. "

/** Long enough to cost something. */
export const question = JSON.stringify({ query: text, documents: [text, text.toUpperCase()] })

/** A request with a credential and a host. Its length is told where it has a body. Each character is a byte. */
export const request = (start: string, headers: ReadonlyArray<string> = [], body = ""): string =>
  [
    `${start} HTTP/1.1`,
    "Host: gateway",
    `Authorization: Bearer ${key}`,
    ...headers,
    ...(body === "" ? [] : [`Content-Length: ${body.length}`]),
    "",
    body
  ].join("\r\n")

export const rerank = (headers: ReadonlyArray<string> = [], body = question): string =>
  request("POST /v1/rerank", headers, body)

export const withoutCredential = (text: string): string => text.replace(/Authorization: .*\r\n/, "")

/** Would be carried out, and charged, by a server that took it out of the body of another request. */
export const smuggled = request("POST /v1/rerank?smuggled", [], question)

/** What becomes of bytes on a connection of their own. */
export interface Entry {
  readonly send: string
  readonly statuses: ReadonlyArray<number>
  /** Whether the connection can be used again. */
  readonly kept: boolean
  /** How often an upstream has worked, for which the ledger has a call each. */
  readonly worked: number
}

export type Corpus = Readonly<Record<string, Entry>>

const all =
  (statuses: ReadonlyArray<number>, kept: boolean, worked: number) =>
  (texts: Readonly<Record<string, string>>): Corpus =>
    Object.fromEntries(Object.entries(texts).map(([name, send]) => [name, { send, statuses, kept, worked }]))

/** Answered with this status, and the connection is closed. */
export const cutOff = (status: number) => all([status], false, 0)
/** Answered with this status, and the connection goes on. */
export const refused = (status: number) => all([status], true, 0)
export const carriedOut = all([200], true, 1)
