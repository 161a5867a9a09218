import { type Corpus, closedWith, question, request, rerank, smuggled } from "./requests.ts"

const length = `Content-Length: ${question.length}`
const chunk = (text: string, extension = "") => `${text.length.toString(16)}${extension}\r\n${text}\r\n`
const chunks = `${chunk(question)}0\r\n\r\n`

const post = (headers: ReadonlyArray<string>, rest: string) => request("POST /v1/rerank", headers) + rest
const sized = (...headers: ReadonlyArray<string>) => post(headers, question + smuggled)
const coded = (...headers: ReadonlyArray<string>) => post(headers, chunks + smuggled)
const chunked = (rest: string) => post(["Transfer-Encoding: chunked"], rest + smuggled)

/** A length together with chunks, or a coding that two parsers could read differently. */
export const codings: Corpus = {
  ...closedWith(400)({
    "a length, then chunks": post(["Content-Length: 5", "Transfer-Encoding: chunked"], `0\r\n\r\n${smuggled}`),
    "chunks, then a length": post(
      ["Transfer-Encoding: chunked", "Content-Length: 4"],
      `${chunk(smuggled)}0\r\n\r\n${smuggled}`
    ),
    "a length and chunks that end together": coded(`Content-Length: ${chunks.length}`, "Transfer-Encoding: chunked"),
    "a length of 0 and chunks": coded("Content-Length: 0", "Transfer-Encoding: chunked"),
    "identity and a length": sized("Transfer-Encoding: identity", length),
    "an unknown coding and a length": sized("Transfer-Encoding: xchunked", length),
    "chunked and identity": coded("Transfer-Encoding: chunked, identity"),
    "chunked twice on a line": coded("Transfer-Encoding: chunked, chunked"),
    "chunked on two lines": coded("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
    "chunked, then an unknown coding": coded("Transfer-Encoding: chunked", "Transfer-Encoding: x"),
    "behind a vertical tab": coded("Transfer-Encoding: \x0bchunked"),
    "before a NUL": coded("Transfer-Encoding: chunked\0"),
    empty: coded("Transfer-Encoding:"),
    "folded onto the next line": coded("Transfer-Encoding:\r\n chunked"),
    "folded, and a length": sized(length, "Transfer-Encoding:\r\n chunked"),
    "a space before the colon": coded("Transfer-Encoding : chunked"),
    "a tab before the colon": coded("Transfer-Encoding\t: chunked"),
    "a space before the name": coded(" Transfer-Encoding: chunked"),
    "behind a bare LF": sized("X-A: a\nTransfer-Encoding: chunked", length),
    "behind a bare CR": sized("X-A: a\rTransfer-Encoding: chunked", length),
    "of HTTP/1.0": coded("Transfer-Encoding: chunked").replace("HTTP/1.1", "HTTP/1.0"),
    "of HTTP/1.0 with keep-alive": coded("Connection: keep-alive", "Transfer-Encoding: chunked").replace(
      "HTTP/1.1",
      "HTTP/1.0"
    )
  }),
  ...closedWith(501)({
    "an unknown coding": coded("Transfer-Encoding: xchunked"),
    quoted: coded('Transfer-Encoding: "chunked"'),
    "with a parameter": coded("Transfer-Encoding: chunked;q=1"),
    "gzip in chunks": coded("Transfer-Encoding: gzip, chunked"),
    "an unknown coding on a line before": coded("Transfer-Encoding: x", "Transfer-Encoding: chunked")
  })
}

export const lengths: Corpus = closedWith(400)({
  "two that differ": sized(length, "Content-Length: 3"),
  "two that are equal": sized(length, length),
  "a list": sized(`${length}, ${question.length}`),
  negative: sized("Content-Length: -1"),
  "with a plus": sized(`Content-Length: +${question.length}`),
  hexadecimal: sized(`Content-Length: 0x${question.length.toString(16)}`),
  "with an exponent": sized("Content-Length: 1e1"),
  "with a fraction": sized(`${length}.0`),
  "with a space inside": sized("Content-Length: 3 1"),
  "with an underscore": sized("Content-Length: 3_1"),
  empty: post(["Content-Length:"], smuggled),
  "of more than 64 bits": sized("Content-Length: 18446744073709551617"),
  "a space before the colon": sized(length.replace(":", " :")),
  folded: sized(length.replace(" ", "\r\n ")),
  "in the fold of another header": sized(`X-A: a\r\n ${length}`),
  "before a NUL": sized(`${length}\0`),
  "of HTTP/1.0, two that differ": sized(length, "Content-Length: 3").replace("HTTP/1.1", "HTTP/1.0")
})

export const chunkings: Corpus = {
  ...closedWith(400)({
    "no size": chunked(`\r\n${question}\r\n0\r\n\r\n`),
    "a negative size": chunked(`-1\r\n${question}\r\n0\r\n\r\n`),
    "a size with 0x": chunked(`0x${chunks}`),
    "a size behind a space": chunked(` ${chunks}`),
    "a size of more than 64 bits": chunked(`10000000000000001\r\n${question}\r\n0\r\n\r\n`),
    "a size too small": chunked(`5\r\n${question}\r\n0\r\n\r\n`),
    "a size too large": chunked(`${(question.length + 2).toString(16)}\r\n${question}\r\n0\r\n\r\n`),
    "a bare LF after the size": chunked(chunks.replace("\r\n", "\n")),
    "a bare CR after the size": chunked(chunks.replace("\r\n", "\r")),
    "a bare LF after the data": chunked(`${chunk(question).slice(0, -2)}\n0\r\n\r\n`),
    "a bare LF at the end": chunked(`${chunk(question)}0\n\n`),
    "a bare LF in an extension": chunked(`${chunk(question, ";a\nb")}0\r\n\r\n`),
    "a bare CR in an extension": chunked(`${chunk(question, ";a\rb")}0\r\n\r\n`),
    "a length among the trailers": chunked(`${chunk(question)}0\r\nContent-Length: 3\r\n\r\n`),
    "a coding among the trailers": chunked(`${chunk(question)}0\r\nTransfer-Encoding: chunked\r\n\r\n`),
    "a trailer with a space before the colon": chunked(`${chunk(question)}0\r\nX-A : a\r\n\r\n`)
  }),
  ...closedWith(413)({ "an extension of 100 kB": chunked(`${chunk(question, `;a=${"x".repeat(100_000)}`)}0\r\n\r\n`) }),
  ...closedWith(431)({ "a trailer of 100 kB": chunked(`${chunk(question)}0\r\nX-A: ${"x".repeat(100_000)}\r\n\r\n`) })
}

/** Unusual, but unambiguous. */
export const unusualChunks: Readonly<Record<string, string>> = {
  "one chunk per byte": post(
    ["Transfer-Encoding: chunked"],
    `${[...question].map((letter) => chunk(letter)).join("")}0\r\n\r\n`
  ),
  "an extension": post(["Transfer-Encoding: chunked"], `${chunk(question, ";a=b")}0\r\n\r\n`),
  "a coding in capitals": coded("Transfer-Encoding: CHUNKED").slice(0, -smuggled.length),
  "a credential among the trailers": post(
    ["Transfer-Encoding: chunked", "Trailer: Authorization"],
    `${chunk(question)}0\r\nAuthorization: Bearer other\r\nHost: other\r\n\r\n`
  ),
  "empty lines before a request": `\r\n\r\n${rerank()}`
}
