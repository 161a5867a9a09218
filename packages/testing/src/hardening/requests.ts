import { key } from "../TestGateway.ts"

const text = "Rivers bend because water runs faster on the outside of a curve than on the inside. "

/** Long enough to cost something. */
export const question = JSON.stringify({ query: text, documents: [text, text.toUpperCase()] })

/** A request with credential and host, and a Content-Length if it has a body. Each character is one byte. */
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

/** A server that reads it from another request's body would execute and charge it. */
export const smuggled = request("POST /v1/rerank?smuggled", [], question)

/** Bytes sent on their own connection, and the expected result. */
export interface Entry {
  readonly send: string
  readonly statuses: ReadonlyArray<number>
  /** Whether the connection can be used again. */
  readonly reusable: boolean
  /** How many calls upstreams executed. The ledger has one entry for each. */
  readonly executed: number
}

export type Corpus = Readonly<Record<string, Entry>>

const expecting =
  (statuses: ReadonlyArray<number>, reusable: boolean, executed: number) =>
  (texts: Readonly<Record<string, string>>): Corpus =>
    Object.fromEntries(Object.entries(texts).map(([name, send]) => [name, { send, statuses, reusable, executed }]))

/** Answered with this status, then the connection is closed. */
export const closedWith = (status: number) => expecting([status], false, 0)
/** Answered with this status; the connection stays open. */
export const answeredWith = (status: number) => expecting([status], true, 0)
export const accepted = expecting([200], true, 1)
