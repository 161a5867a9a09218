export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly complete: boolean
}

interface Body {
  readonly body: string
  readonly end: number
  readonly complete: boolean
}

const truncated = (text: string, from: number): Body => ({ body: text.slice(from), end: text.length, complete: false })

const sized = (text: string, from: number, length: number): Body =>
  from + length > text.length
    ? truncated(text, from)
    : { body: text.slice(from, from + length), end: from + length, complete: true }

const chunked = (text: string, from: number): Body => {
  let body = ""
  let at = from
  for (;;) {
    const line = text.indexOf("\r\n", at)
    if (line === -1) return { ...truncated(text, from), body }
    const size = Number.parseInt(text.slice(at, line), 16)
    const next = line + 2 + size + 2
    if (!(size >= 0) || next > text.length) return { ...truncated(text, from), body }
    if (size === 0) return { body, end: next, complete: true }
    body += text.slice(line + 2, line + 2 + size)
    at = next
  }
}

/** Parses consecutive HTTP answers. Bytes that are not an answer count as one with status 0. */
export const parseAnswers = (bytes: Buffer): ReadonlyArray<Answer> => {
  const text = bytes.toString("latin1")
  const answers: Array<Answer> = []
  let at = 0
  while (at < text.length) {
    const headEnd = text.indexOf("\r\n\r\n", at)
    const [first = "", ...lines] = text.slice(at, headEnd === -1 ? text.length : headEnd).split("\r\n")
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1] ?? 0)
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()])
    )
    const from = headEnd === -1 ? text.length : headEnd + 4
    const bodiless = status < 200 || status === 204
    const { end, ...body } =
      status === 0 || headEnd === -1
        ? truncated(text, at)
        : bodiless
          ? sized(text, from, 0)
          : headers["transfer-encoding"] === "chunked"
            ? chunked(text, from)
            : sized(text, from, Number(headers["content-length"] ?? 0))
    answers.push({ status, headers, ...body })
    at = end
  }
  return answers
}
