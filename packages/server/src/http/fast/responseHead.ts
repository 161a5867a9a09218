import { validateHeaderName, type OutgoingHttpHeaders } from "node:http"

const invalidInValue = /[^\t\x20-\x7e\x80-\xff]/
const close = /(?:^|\W)close(?:$|\W)/i
const chunked = /(?:^|\W)chunked(?:$|\W)/i

/** Names that are known to be tokens. The application writes few. */
const validNames = new Set<string>()
const maxNames = 500

const checkName = (name: string): void => {
  if (validNames.has(name)) return
  validateHeaderName(name)
  if (validNames.size < maxNames) validNames.add(name)
}

const checked = (value: string): string => {
  if (invalidInValue.test(value)) throw new TypeError("a header has a character that cannot be sent")
  return value
}

let second = 0
let date = ""

const currentDate = (): string => {
  const now = Math.floor(Date.now() / 1_000)
  if (now !== second) {
    second = now
    date = `Date: ${new Date(now * 1_000).toUTCString()}\r\n`
  }
  return date
}

export interface ResponseHead {
  readonly text: string
  readonly isChunked: boolean
  /** The connection closes after this response. */
  readonly isLast: boolean
}

/** The same bytes as `node:http` writes. `connection`: its lines that tell whether the connection is kept. */
export const responseHead = (
  status: number,
  statusText: string,
  headers: OutgoingHttpHeaders,
  connection: string
): ResponseHead => {
  let text = `HTTP/1.1 ${status} ${checked(statusText)}\r\n`
  let isChunked = false
  let isLast = false
  let hasConnection = false
  let hasDate = false
  let hasLength = false
  for (const name in headers) {
    const value = headers[name]
    checkName(name)
    if (typeof value === "string") text += `${name}: ${checked(value)}\r\n`
    else if (Array.isArray(value)) for (const one of value) text += `${name}: ${checked(one)}\r\n`
    else if (value === undefined) throw new TypeError(`the header ${name} has no value`)
    else text += `${name}: ${value}\r\n`
    switch (name) {
      case "connection":
        hasConnection = true
        if (close.test(String(value))) isLast = true
        break
      case "content-length":
        hasLength = true
        break
      case "date":
        hasDate = true
        break
      case "transfer-encoding":
        hasLength = true
        if (chunked.test(String(value))) isChunked = true
    }
  }
  if (!hasDate) text += currentDate()
  if (!hasConnection) text += connection
  if (!hasLength && status !== 204 && status !== 304) {
    text += "Transfer-Encoding: chunked\r\n"
    isChunked = true
  }
  return { text: `${text}\r\n`, isChunked, isLast }
}
