import * as Effect from "effect/Effect"
import { createReadStream } from "node:fs"
import { isIPv4 } from "node:net"
import { CommandError } from "../../terminal/print.ts"

export const maxBytes = 32 * 1024 * 1024
const maxRedirects = 5
const time = "30 seconds"

const megabytes = `${maxBytes / 1024 / 1024} MB`

/** The address without what may be a secret. */
const shown = (url: URL): string => `${url.origin}${url.pathname}`

/** Where the document is, as it may be shown and kept. */
export const nameOf = (source: string): string => {
  const url = isAddress(source) ? URL.parse(source) : null
  return url === null ? source : shown(url)
}

const isAddress = (source: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(source)

export const isLoopback = ({ hostname }: URL): boolean =>
  hostname === "localhost" ||
  hostname.endsWith(".localhost") ||
  hostname === "[::1]" ||
  (isIPv4(hostname) && hostname.startsWith("127."))

class TooLarge extends Error {}
class Refused extends Error {}

const collect = async (chunks: AsyncIterable<Uint8Array>): Promise<string> => {
  const parts: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > maxBytes) throw new TooLarge(`it is larger than ${megabytes}`)
    parts.push(chunk)
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts))
}

/** A document on the network must not lead the command to services of this machine. */
const allowed = (url: URL, isLocal: boolean): void => {
  if (url.username !== "" || url.password !== "") throw new Refused("the address must not contain a user or password")
  if (url.protocol === "https:" || (url.protocol === "http:" && isLocal && isLoopback(url))) return
  throw new Refused("use https; http is only for this machine")
}

const download = async (source: string, signal: AbortSignal): Promise<string> => {
  let url = new URL(source)
  const isLocal = isLoopback(url)
  for (let i = 0; i <= maxRedirects; i++) {
    allowed(url, isLocal)
    const answer = await fetch(url, {
      redirect: "manual",
      credentials: "omit",
      signal,
      headers: { accept: "application/json, application/yaml, */*" }
    })
    const location = answer.headers.get("location")
    if (answer.status >= 300 && answer.status < 400 && location !== null) {
      await answer.body?.cancel()
      const next = URL.parse(location, url)
      if (next === null) throw new Refused("the answer leads to no address")
      url = next
      continue
    }
    if (!answer.ok || answer.body === null) {
      await answer.body?.cancel()
      throw new Refused(`the answer has status ${answer.status}`)
    }
    return await collect(answer.body)
  }
  throw new Refused(`more than ${maxRedirects} redirects`)
}

const reasonOf = (cause: unknown): string => {
  if (cause instanceof TooLarge || cause instanceof Refused) return cause.message
  if (cause instanceof TypeError && "code" in cause && cause.code === "ERR_ENCODING_INVALID_ENCODED_DATA") {
    return "it is not UTF-8"
  }
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  if (typeof inner === "object" && inner !== null && "code" in inner) return String(inner.code)
  return inner instanceof Error ? inner.message : "unknown error"
}

/** The text of a document, from a file or an address. No credential is sent. */
export const readSource = (source: string): Effect.Effect<string, CommandError> => {
  const failed = (reason: string) => new CommandError({ message: `${nameOf(source)} cannot be read: ${reason}` })
  if (isAddress(source) && URL.parse(source) === null) return Effect.fail(failed("this is not an address"))
  return Effect.tryPromise({
    try: (signal) => (isAddress(source) ? download(source, signal) : collect(createReadStream(source, { signal }))),
    catch: (cause) => failed(reasonOf(cause))
  }).pipe(Effect.timeoutOrElse({ duration: time, orElse: () => Effect.fail(failed(`no answer within ${time}`)) }))
}
