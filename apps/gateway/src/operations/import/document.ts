import * as Effect from "effect/Effect"
import { createReadStream } from "node:fs"
import { isIPv4 } from "node:net"
import * as Result from "effect/Result"
import { isScalar, parseDocument, visit } from "yaml"
import { CommandError } from "../../terminal/print.ts"
import { type Fields, fieldsOf, textOf } from "./values.ts"

const maxBytes = 32 * 1024 * 1024
const maxRedirects = 5
const time = "30 seconds"

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

export const collect = async (chunks: AsyncIterable<Uint8Array>, most = maxBytes): Promise<string> => {
  const parts: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > most) throw new TooLarge(`it is larger than ${most / 1024 / 1024} MB`)
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

const deepest = 200
/** Aliases of YAML count as often as they are used. */
const maxValues = 5_000_000

/** Counts without recursion: what is parsed may be nested without end. */
const boundsProblem = (root: unknown): string | undefined => {
  const stack: Array<readonly [value: unknown, depth: number]> = [[root, 0]]
  let count = 0
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [value, depth] = next
    if (typeof value !== "object" || value === null) continue
    if (depth > deepest) return `is nested deeper than ${deepest} levels`
    const values = Object.values(value)
    count += values.length
    if (count > maxValues) return `has more than ${maxValues} values`
    for (const inner of values) stack.push([inner, depth + 1])
  }
  return undefined
}

const parseJson = (text: string): Result.Result<unknown, string> =>
  Result.try({
    try: () => JSON.parse(text) as unknown,
    catch: (cause) =>
      `is not JSON: ${cause instanceof Error ? cause.message.replaceAll(/\s+/g, " ").slice(0, 200) : ""}`
  })

/** The parser itself compares each key of a map with all others. */
const checkKeys = (document: Parameters<typeof visit>[0]): void =>
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>()
      for (const { key } of items) {
        const name = isScalar(key) ? key.value : key
        if (seen.has(name)) throw new Error(`the key ${JSON.stringify(name).slice(0, 100)} is there twice`)
        seen.add(name)
      }
    }
  })

const parseYaml = (text: string): Result.Result<unknown, string> =>
  Result.try({
    try: () => {
      const document = parseDocument(text, { logLevel: "silent", schema: "core", stringKeys: true, uniqueKeys: false })
      const [error] = document.errors
      if (error !== undefined) throw error
      checkKeys(document)
      return document.toJS({ maxAliasCount: 1_000 }) as unknown
    },
    catch: (cause) =>
      `is neither JSON nor YAML: ${cause instanceof Error ? (cause.message.split("\n")[0] ?? "").replace(/:$/, "").slice(0, 200) : ""}`
  })

/** Reads an OpenAPI document. The error follows the document's name. */
export const readDocument = (text: string): Result.Result<Fields, string> => {
  const whole = text.replace(/^\uFEFF/, "")
  if (whole.trim() === "") return Result.fail("is empty")
  return Result.flatMap(/^\s*[{[]/.test(whole) ? parseJson(whole) : parseYaml(whole), (value) => {
    const problem = boundsProblem(value)
    if (problem !== undefined) return Result.fail(problem)
    const fields = fieldsOf(value)
    const version = textOf(fields?.openapi)
    if (fields === undefined || version === undefined) {
      return Result.fail(
        fields !== undefined && "swagger" in fields
          ? "is Swagger 2; convert it to OpenAPI 3 first"
          : 'is not an OpenAPI document: it has no "openapi"'
      )
    }
    if (!/^3\.[0-2](?:\.|$)/.test(version)) {
      return Result.fail(`is OpenAPI ${version.slice(0, 20)}; expected 3.0, 3.1 or 3.2`)
    }
    return fieldsOf(fields.paths) === undefined ? Result.fail("has no paths") : Result.succeed(fields)
  })
}
