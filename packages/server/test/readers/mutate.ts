/** A generator of numbers from 0 to below 1. The same seed gives the same numbers. */
export const randomFrom = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

type Random = () => number

const pick = <A>(random: Random, of: ReadonlyArray<A>): A => of[Math.floor(random() * of.length)]!

const methods = ["GET", "GET", "POST", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "get", "PRI", "CONNECT"]
const targets = ["/", "/a?b=c", "/stream", "/raw", "/empty", "/304", "/cookies", "/bad", "/fail", "//x/../y", "/%00#a"]
const versions = ["HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "http/1.1", "HTTP/1.10"]
const headers = [
  "Accept: */*",
  "X-A: b",
  "x-a: c",
  "X-Empty:",
  "X-Padded:  a b\t",
  "X-High: \xe9",
  "Connection: keep-alive",
  "Connection: Keep-Alive",
  "Connection: close",
  "Connection: keep-alive, x-a",
  "Keep-Alive: timeout=5",
  "Proxy-Connection: close",
  "Expect: 100-continue",
  "Upgrade: websocket",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: identity",
  "Content-Length: 3",
  "Content-Length: +3",
  "Content-Length: 03",
  "Content-Length: 3, 3",
  "Content-Length: 99999",
  "Authorization: Bearer a",
  "Cookie: a=b",
  "Set-Cookie: a=b",
  "Host: b",
  "__proto__: a",
  "constructor: a",
  "toString: a",
  "Trailer: a",
  "X Y: a",
  "X-A : b",
  " folded",
  "no colon"
]
/** Bytes that parsers treat in special ways. */
const bytes = '\r\n\r\n\0\t :,;=/?#%\x7f\x80\xff\x0b\x0cGH0123aA_"\\'.split("")

/** A request that is often in the subset of the own reader, and often nearly. */
const request = (random: Random): string => {
  const lines: Array<string> = []
  const method = random() < 0.9 ? pick(random, methods.slice(0, 7)) : pick(random, methods)
  lines.push(`${method} ${pick(random, targets)} ${random() < 0.9 ? "HTTP/1.1" : pick(random, versions)}`)
  if (random() < 0.97) lines.push("Host: a")
  const common = random() < 0.6
  for (let left = Math.floor(random() * 4); left > 0; left--) {
    lines.push(common ? pick(random, headers.slice(0, 8)) : pick(random, headers))
  }
  const body = method.startsWith("P") && random() < 0.8 ? "x".repeat(Math.floor(random() * random() * 300)) : ""
  if (body !== "") lines.splice(1 + Math.floor(random() * lines.length), 0, `Content-Length: ${body.length}`)
  return `${lines.join("\r\n")}\r\n\r\n${body}`
}

/** Changes a few bytes, or whole lines. */
const mutate = (random: Random, text: string): string => {
  const at = Math.floor(random() * (text.length + 1))
  const to = at + Math.floor(random() * 4)
  switch (Math.floor(random() * 8)) {
    case 0:
      return text.slice(0, at) + pick(random, bytes) + text.slice(at)
    case 1:
      return text.slice(0, at) + text.slice(to)
    case 2:
      return text.slice(0, at) + pick(random, bytes) + text.slice(at + 1)
    case 3:
      return text.replace("\r\n", pick(random, ["\n", "\r", "\r\r\n", "\r\n\r\n", "\n\r", "\r\n "]))
    case 4:
      return text.replace(":", pick(random, [" :", "\t:", "::", "", ": \t", ":\r\n "]))
    case 5:
      return text.replace("\r\n", `\r\n${pick(random, headers)}\r\n`)
    case 6:
      return text.replace(" ", pick(random, ["  ", "\t", "", " \r\n"]))
    default:
      return text.slice(0, at)
  }
}

export interface Case {
  readonly text: string
  readonly pieces: ReadonlyArray<string>
}

/** Up to four requests on one connection, and how their bytes are split. */
export const makeCase = (random: Random): Case => {
  let text = ""
  for (let left = 1 + Math.floor(random() * random() * 4); left > 0; left--) {
    let one = request(random)
    if (random() < 0.5) for (let n = 1 + Math.floor(random() * 3); n > 0; n--) one = mutate(random, one)
    text += one
  }
  const way = random()
  if (way < 0.5) return { text, pieces: [text] }
  if (way < 0.53) return { text, pieces: text.split("") }
  const cuts = Array.from({ length: 1 + Math.floor(random() * 4) }, () => Math.floor(random() * text.length))
  cuts.sort((one, other) => one - other)
  return { text, pieces: [0, ...cuts].map((cut, i) => text.slice(cut, cuts[i] ?? text.length)) }
}
