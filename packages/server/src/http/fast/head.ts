import * as Headers from "effect/http/Headers"

/** The head of a request in the subset that is read here. */
export interface Head {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  /** The length of its body. */
  readonly length: number
}

/** A longer body is left to `node:http`. */
const maxBodyBytes = 64 * 1024

/** All lines of a head, each with its end. A name is a token, and no space comes before its colon. */
const wellFormed =
  /^(?:GET|POST|PUT|PATCH|DELETE) \/[!"$-~]* HTTP\/1\.1\r\n(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t -~]*\r\n)+$/

/** Names as they are written, in lower case. Only the first ones are kept. */
const lowerCase = new Map<string, string>()
const maxNames = 500

const lowerCaseOf = (name: string): string => {
  const known = lowerCase.get(name)
  if (known !== undefined) return known
  const lower = name.toLowerCase()
  if (lowerCase.size < maxNames) lowerCase.set(name, lower)
  return lower
}

/** Names that change how a request is read or answered, or that `node:http` keeps in another form. */
const special = new Set([
  "__proto__",
  "expect",
  "proxy-connection",
  "set-cookie",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

const prototype: object = Object.getPrototypeOf(Headers.empty)

/** Undefined if `node:http` has to read it. `text` ends with the end of its last header. */
export const parseHead = (text: string, maxHeaderCount: number): Head | undefined => {
  if (!wellFormed.test(text)) return undefined
  const methodEnd = text.indexOf(" ")
  const urlEnd = text.indexOf(" ", methodEnd + 1)
  const headers: Record<string, string> = Object.create(prototype)
  let length = 0
  let count = 0
  for (let start = urlEnd + " HTTP/1.1\r\n".length; start < text.length;) {
    if (++count > maxHeaderCount) return undefined
    const colon = text.indexOf(":", start)
    const end = text.indexOf("\r", colon)
    const name = lowerCaseOf(text.slice(start, colon))
    const value = text.slice(text.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1, end)
    // A name twice, or one that an object has of its own.
    if (headers[name] !== undefined || special.has(name) || isPadded(value)) return undefined
    headers[name] = value
    if (name === "content-length") {
      if (!/^(?:0|[1-9]\d{0,5})$/.test(value)) return undefined
      length = Number(value)
      if (length > maxBodyBytes) return undefined
    } else if (name === "connection" && value.toLowerCase() !== "keep-alive") return undefined
    start = end + 2
  }
  if (headers["host"] === undefined) return undefined
  return { method: text.slice(0, methodEnd), url: text.slice(methodEnd + 1, urlEnd), headers, length }
}

/** Only one space is expected, after the colon. */
const isPadded = (value: string): boolean =>
  value !== "" && (value.charCodeAt(0) <= 32 || value.charCodeAt(value.length - 1) <= 32)

/** Whether a head of which more has to arrive can still be in the subset. If not, `node:http` refuses it before it ends. */
export const mayBecomePlain = (bytes: Buffer, maxHeaderCount: number): boolean => {
  let lines = 0
  for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, end + 1)) {
    if (bytes[end - 1] !== carriageReturn || ++lines > maxHeaderCount + 1) return false
  }
  return true
}
const carriageReturn = 13
const lineFeed = 10
