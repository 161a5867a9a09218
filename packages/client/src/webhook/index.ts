import { TaggedError } from "@tollgate/contract/errors/TaggedError"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Bytes from "effect/Bytes"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import { object, text } from "../events/Event.ts"

declare const crypto: {
  readonly subtle: {
    readonly importKey: (
      format: "raw",
      key: Uint8Array,
      of: object,
      exported: false,
      uses: ["verify"]
    ) => Promise<unknown>
    readonly verify: (by: "HMAC", key: unknown, signature: Uint8Array, signed: Uint8Array) => Promise<boolean>
  }
}

/** The message is not one of the gateway's. `message` says why, without anything of it. */
export class WebhookInvalid extends TaggedError("WebhookInvalid")<{ readonly message: string }> {}

interface Chunks {
  readonly read: () => Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
}

type Header = string | ReadonlyArray<string> | undefined

/** A `Request`, a request of `node:http` whose body nobody has read, or headers with the body as it arrived. */
export interface WebhookRequest {
  readonly headers: { readonly get: (name: string) => string | null } | Readonly<Record<string, Header>>
  readonly body?: string | Uint8Array | { readonly getReader: () => Chunks } | null
  readonly [Symbol.asyncIterator]?: () => AsyncIterator<Uint8Array | string>
}

export interface WebhookMessage {
  /** The same each time the message is sent: remember those of the last day. */
  readonly id: string
  /** Such as `balance.low`. */
  readonly type: string
  /** When it happened. */
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface VerifyWebhookOptions {
  /** How much older or newer than now a message may be, in seconds. Defaults to 300. */
  readonly tolerance?: number
}

const mostBytes = 1_048_576

const invalid = (message: string) => new WebhookInvalid({ message })

const headerOf = ({ headers }: WebhookRequest, name: string): string => {
  const value = typeof headers["get"] === "function" ? headers["get"](name) : (headers as Record<string, Header>)[name]
  if (typeof value !== "string") throw invalid(`There is no header ${name}`)
  return value
}

const chunksOf = async function* (request: WebhookRequest): AsyncGenerator<Uint8Array> {
  const { body } = request
  if (typeof body === "string") yield Utf8.encode(body)
  else if (body instanceof Uint8Array) yield body
  else if (typeof body === "object" && body !== null && "getReader" in body) {
    const reader = body.getReader()
    for (let next = await reader.read(); !next.done; next = await reader.read()) if (next.value) yield next.value
  } else if (body === undefined && request[Symbol.asyncIterator] !== undefined) {
    for await (const chunk of request as AsyncIterable<Uint8Array | string>)
      yield typeof chunk === "string" ? Utf8.encode(chunk) : chunk
  } else throw invalid("The body must be as it arrived: pass it before it is parsed")
}

/** Anybody can send to a receiver, so that what is read is bounded. */
const bodyOf = async (request: WebhookRequest): Promise<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  let length = 0
  for await (const chunk of chunksOf(request)) {
    length += chunk.length
    if (length > mostBytes) throw invalid("The body is too large")
    chunks.push(chunk)
  }
  return Bytes.concat(chunks)
}

const keyOf = (secret: string): Promise<unknown> => {
  const bytes = Result.getOrUndefined(Base64.decode(secret.replace(/^whsec_/, "")))
  if (bytes === undefined || bytes.length === 0) throw new TypeError("A webhook's secret is `whsec_` and base64")
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"])
}

const mostSignatures = 10

/** The platform compares in constant time. */
const isSigned = async (secrets: ReadonlyArray<string>, signatures: string, signed: Uint8Array): Promise<boolean> => {
  const given = signatures.split(" ", mostSignatures).flatMap((one) => {
    const [version, value = ""] = one.split(",")
    const bytes = version === "v1" ? Result.getOrUndefined(Base64.decode(value)) : undefined
    return bytes === undefined ? [] : [bytes]
  })
  const keys = await Promise.all(secrets.map(keyOf))
  const checks = keys.flatMap((key) => given.map((signature) => crypto.subtle.verify("HMAC", key, signature, signed)))
  return (await Promise.all(checks)).includes(true)
}

const read = (body: Uint8Array, id: string): WebhookMessage => {
  const { data, timestamp, type } = object(JSON.parse(Utf8.decode(body)))
  return { id, type: text(type) ?? "", timestamp: text(timestamp) ?? "", data: object(data) }
}

/**
 * The message of a gateway's webhook, if the gateway has signed it in the last minutes. Rejects with `WebhookInvalid` otherwise.
 * While the secret changes, pass both.
 *
 * @example const { id, type, data } = await verifyWebhook(request, process.env.WEBHOOK_SECRET)
 */
export const verifyWebhook = async (
  request: WebhookRequest,
  secret: string | ReadonlyArray<string>,
  { tolerance = 300 }: VerifyWebhookOptions = {}
): Promise<WebhookMessage> => {
  const id = headerOf(request, "webhook-id")
  const sentAt = headerOf(request, "webhook-timestamp")
  const signatures = headerOf(request, "webhook-signature")
  const now = await Effect.runPromise(Clock.currentTimeMillis)
  if (!/^\d{1,12}$/.test(sentAt) || !(Math.abs(now / 1000 - Number(sentAt)) <= tolerance)) {
    throw invalid("The message is too old, or the clocks differ")
  }
  const body = await bodyOf(request)
  const head = Utf8.encode(`${id}.${sentAt}.`)
  const signed = new Uint8Array(head.length + body.length)
  signed.set(head)
  signed.set(body, head.length)
  if (!(await isSigned(typeof secret === "string" ? [secret] : secret, signatures, signed))) {
    throw invalid("The signature is not of this secret")
  }
  return read(body, id)
}
