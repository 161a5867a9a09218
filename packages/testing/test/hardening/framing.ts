import { request, rerank } from "./target.ts"

/** What would be carried out, and charged, if a server took it out of the body of another request. */
const smuggled = rerank()
const smuggledGet = request("GET /smuggled")
const body = JSON.stringify({ query: "q", documents: ["a"] })
const length = `Content-Length: ${body.length}`
const chunk = (text: string, extension = "") => `${text.length.toString(16)}${extension}\r\n${text}\r\n`
const chunks = chunk(body) + "0\r\n\r\n"

const post = (headers: ReadonlyArray<string>, rest: string) => `${request("POST /v1/rerank", headers)}${rest}`
const chunkedPost = (headers: ReadonlyArray<string>, rest: string) =>
  post(["Transfer-Encoding: chunked", ...headers], rest)

/** A length and chunks, or a coding that two readers could take for different things. */
const twoFramings: Record<string, string> = {
  "CL.TE": post(["Content-Length: 5", "Transfer-Encoding: chunked"], `0\r\n\r\n${smuggled}`),
  "TE.CL": post(["Transfer-Encoding: chunked", "Content-Length: 4"], chunk(smuggled) + "0\r\n\r\n"),
  "CL.TE with equal ends": post([length, "Transfer-Encoding: chunked"], chunks + smuggled),
  "a length of nothing and chunks": post(["Content-Length: 0", "Transfer-Encoding: chunked"], chunks + smuggled),
  "TE: identity and a length": post(["Transfer-Encoding: identity", length], body + smuggled),
  "TE: xchunked": post(["Transfer-Encoding: xchunked"], chunks + smuggled),
  "TE: xchunked and a length": post(["Transfer-Encoding: xchunked", length], body + smuggled),
  "TE: chunked, identity": post(["Transfer-Encoding: chunked, identity"], chunks + smuggled),
  "TE: chunked twice on a line": post(["Transfer-Encoding: chunked, chunked"], chunks + smuggled),
  "TE: chunked on two lines": post(["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], chunks + smuggled),
  "TE: chunked, then x": post(["Transfer-Encoding: chunked", "Transfer-Encoding: x"], chunks + smuggled),
  "TE: x, then chunked": post(["Transfer-Encoding: x", "Transfer-Encoding: chunked"], chunks + smuggled),
  "TE: gzip, chunked": post(["Transfer-Encoding: gzip, chunked"], chunks + smuggled),
  "TE: quoted": post(['Transfer-Encoding: "chunked"'], chunks + smuggled),
  "TE: with a parameter": post(["Transfer-Encoding: chunked;q=1"], chunks + smuggled),
  "TE: after a vertical tab": post(["Transfer-Encoding: \x0bchunked"], chunks + smuggled),
  "TE: before a NUL": post(["Transfer-Encoding: chunked\0"], chunks + smuggled),
  "TE: empty": post(["Transfer-Encoding:"], chunks + smuggled),
  "TE: folded onto the next line": post(["Transfer-Encoding:\r\n chunked"], chunks + smuggled),
  "TE: folded, and a length": post([length, "Transfer-Encoding:\r\n chunked"], body + smuggled),
  "TE: with a space before the colon": post(["Transfer-Encoding : chunked"], chunks + smuggled),
  "TE: with a tab before the colon": post(["Transfer-Encoding\t: chunked"], chunks + smuggled),
  "TE: with a space in front": post([" Transfer-Encoding: chunked"], chunks + smuggled),
  "TE: behind a bare LF": post([`X-A: a\nTransfer-Encoding: chunked`, length], body + smuggled),
  "TE: behind a bare CR": post([`X-A: a\rTransfer-Encoding: chunked`, length], body + smuggled),
  "TE in a GET and a length": request("GET /v1/models", ["Transfer-Encoding: chunked", "Content-Length: 3"]) + chunks,
  "TE with HTTP/1.0": post(["Transfer-Encoding: chunked"], chunks + smuggled).replace("HTTP/1.1", "HTTP/1.0")
}

const lengths: Record<string, string> = {
  "twice, different": post([length, "Content-Length: 3"], body + smuggled),
  "twice, equal": post([length, length], body + smuggled),
  "a list of equal": post([`${length}, ${body.length}`], body + smuggled),
  negative: post(["Content-Length: -1"], body + smuggled),
  "with a plus": post([`Content-Length: +${body.length}`], body + smuggled),
  hexadecimal: post([`Content-Length: 0x${body.length.toString(16)}`], body + smuggled),
  "with an exponent": post(["Content-Length: 1e1"], body + smuggled),
  "with a fraction": post([`Content-Length: ${body.length}.0`], body + smuggled),
  "with a space inside": post(["Content-Length: 3 1"], body + smuggled),
  "with an underscore": post(["Content-Length: 3_1"], body + smuggled),
  empty: post(["Content-Length:"], smuggled),
  "over 64 bits": post(["Content-Length: 18446744073709551617"], body + smuggled),
  "after a space before the colon": post([`Content-Length : ${body.length}`], body + smuggled),
  folded: post([`Content-Length:\r\n ${body.length}`], body + smuggled),
  "of a folded header": post([`X-A: a\r\n ${length}`], body + smuggled),
  "behind a NUL": post([`Content-Length: ${body.length}\0`], body + smuggled)
}

const chunkings: Record<string, string> = {
  "no size": chunkedPost([], `\r\n${body}\r\n0\r\n\r\n${smuggled}`),
  "a negative size": chunkedPost([], `-1\r\n${body}\r\n0\r\n\r\n${smuggled}`),
  "a size with 0x": chunkedPost([], `0x1f\r\n${body}\r\n0\r\n\r\n${smuggled}`),
  "a size with a space before": chunkedPost([], ` ${chunks}${smuggled}`),
  "a size over 64 bits": chunkedPost([], `10000000000000001\r\n${body}\r\n0\r\n\r\n${smuggled}`),
  "a size too small": chunkedPost([], `5\r\n${body}\r\n0\r\n\r\n${smuggled}`),
  "a size too large": chunkedPost([], `${(body.length + 2).toString(16)}\r\n${body}\r\n0\r\n\r\n${smuggled}`),
  "LF after the size": chunkedPost([], `${body.length.toString(16)}\n${body}\r\n0\r\n\r\n${smuggled}`),
  "CR alone after the size": chunkedPost([], `${body.length.toString(16)}\r${body}\r\n0\r\n\r\n${smuggled}`),
  "LF after the data": chunkedPost([], `${body.length.toString(16)}\r\n${body}\n0\r\n\r\n${smuggled}`),
  "LF at the end": chunkedPost([], `${chunk(body)}0\n\n${smuggled}`),
  "an extension with a bare LF": chunkedPost([], `${chunk(body, ";a\nb")}0\r\n\r\n${smuggled}`),
  "an extension with a bare CR": chunkedPost([], `${chunk(body, ";a\rb")}0\r\n\r\n${smuggled}`),
  "an extension of 100 kB": chunkedPost([], `${chunk(body, `;a=${"x".repeat(100_000)}`)}0\r\n\r\n${smuggled}`),
  "extensions of 100 kB in all": chunkedPost(
    [],
    `${[...body].map((letter) => chunk(letter, `;a=${"x".repeat(4000)}`)).join("")}0\r\n\r\n${smuggled}`
  ),
  "a trailer with a space before the colon": chunkedPost([], `${chunk(body)}0\r\nX : a\r\n\r\n${smuggled}`),
  "a trailer of 100 kB": chunkedPost([], `${chunk(body)}0\r\nX: ${"x".repeat(100_000)}\r\n\r\n${smuggled}`)
}

const lines: Record<string, string> = {
  "bare LF throughout": rerank().replaceAll("\r\n", "\n") + smuggled,
  "bare LF after the first line": rerank().replace("\r\n", "\n") + smuggled,
  "bare CR after the first line": rerank().replace("\r\n", "\r") + smuggled,
  "bare LF at the end of the head": rerank().replace("\r\n\r\n", "\r\n\n") + smuggled,
  "a space before the colon": rerank(["X-A : a"]) + smuggled,
  "a header without a colon": rerank(["X-A"]) + smuggled,
  "a header without a name": rerank([": a"]) + smuggled,
  "a folded header": rerank(["X-A: a\r\n b"]) + smuggled,
  "a line that begins with a space": rerank().replace("\r\n", "\r\n X-A: a\r\n") + smuggled,
  "NUL in a name": rerank(["X-\0A: a"]) + smuggled,
  "NUL in a value": rerank(["X-A: a\0b"]) + smuggled,
  "a control character in a name": rerank(["X-\x01A: a"]) + smuggled,
  "a control character in a value": rerank(["X-A: a\x01b"]) + smuggled,
  "DEL in a value": rerank(["X-A: a\x7fb"]) + smuggled,
  "a bare CR in a value": rerank(["X-A: a\rX-B: b"]) + smuggled,
  "a bracket in a name": rerank(["X[A]: a"]) + smuggled,
  "a letter beyond ASCII in a name": rerank(["X-\xe4: a"]) + smuggled,
  "two hosts": rerank(["Host: other"]) + smuggled,
  "no host": rerank().replace("Host: gateway\r\n", "") + smuggled,
  "no version": "GET /v1/models\r\n\r\n" + smuggled,
  "HTTP/0.9 by name": "GET /v1/models HTTP/0.9\r\n\r\n" + smuggled,
  "HTTP/1.2": rerank().replace("HTTP/1.1", "HTTP/1.2") + smuggled,
  "HTTP/2.0": rerank().replace("HTTP/1.1", "HTTP/2.0") + smuggled,
  "http/1.1": rerank().replace("HTTP/1.1", "http/1.1") + smuggled,
  "HTTP/1.1 and more": rerank().replace("HTTP/1.1", "HTTP/1.1 x") + smuggled,
  "the preface of HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + smuggled,
  "a greeting of TLS": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + smuggled,
  "a method that is none": rerank().replace("POST", "P\xd6ST") + smuggled,
  "a method in small letters": rerank().replace("POST", "post") + smuggled,
  "a method of 10 kB": rerank().replace("POST", "P".repeat(10_000)) + smuggled,
  "a tab in the first line": rerank().replace("POST ", "POST\t") + smuggled,
  "two spaces in the first line": rerank().replace("POST ", "POST  ") + smuggled,
  "a space in the address": rerank().replace("/v1/rerank", "/v1/rerank /x") + smuggled,
  "NUL in the address": rerank().replace("/v1/rerank", "/v1/rerank\0") + smuggled,
  "a letter beyond ASCII in the address": rerank().replace("/v1/rerank", "/v1/rer\xe4nk") + smuggled,
  "an upgrade to h2c": rerank([
    "Connection: Upgrade, HTTP2-Settings",
    "Upgrade: h2c",
    "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"
  ]),
  CONNECT: "CONNECT gateway:80 HTTP/1.1\r\nHost: gateway\r\n\r\n" + smuggled,
  TRACE: request("TRACE /v1/rerank") + smuggled,
  "an absolute address": rerank().replace("/v1/rerank", "http://gateway/v1/rerank") + smuggled,
  "an absolute address elsewhere": rerank().replace("/v1/rerank", "http://other/v1/rerank") + smuggled,
  "an authority as address": rerank().replace("/v1/rerank", "gateway:80") + smuggled,
  "* as address": request("OPTIONS *") + smuggled,
  "no slash": rerank().replace("/v1/rerank", "v1/rerank") + smuggled,
  backslash: rerank().replace("/v1/rerank", "\\v1\\rerank") + smuggled
}
const paths: Record<string, string> = Object.fromEntries(
  [
    "//v1/rerank",
    "/v1//rerank",
    "/v1/rerank/",
    "/v1/./rerank",
    "/v1/x/../rerank",
    "/v1/%2e%2e/v1/rerank",
    "/v1%2frerank",
    "/v1/rerank%00",
    "/v1/rerank;a=b",
    "/v1/rerank#x",
    "/V1/rerank",
    "/v1/rerank%20",
    "/v1/%72erank",
    "/%2fv1/rerank",
    "/v1/rerank\\",
    "//other/v1/rerank",
    "/v1/rerank%",
    "/v1/rerank?",
    "/v1/rerank?a=b#c",
    "/__proto__",
    "/constructor",
    "/v1/__proto__",
    "/v1beta/models/__proto__:generateContent",
    "/v1beta/models/a%2fb:generateContent",
    "/v1beta/models/..:generateContent",
    "/v1beta/models/%2e%2e:generateContent",
    "/v1beta/models/%2e%2e%2fx:generateContent"
  ].map((p) => [p, rerank().replace("/v1/rerank", p)])
)
export const all = {
  twoFramings,
  lengths,
  chunkings,
  lines,
  paths,
  pipelined: {
    "three good": rerank() + rerank() + rerank(),
    "good, bad, good": rerank() + rerank(["X : a"]) + rerank(),
    "good, garbage": rerank() + "\x00\x00garbage\r\n\r\n" + rerank(),
    "404, good": smuggledGet + rerank(),
    "refused body (400) then good": rerank([], "{") + rerank(),
    "close, then good": rerank(["Connection: close"]) + rerank(),
    trailers:
      chunkedPost(
        ["Trailer: Authorization, Content-Length"],
        chunk(body) + "0\r\nAuthorization: Bearer x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
      ) + rerank(),
    "Expect x": rerank(["Expect: x"]) + rerank(),
    "Expect 100": rerank(["Expect: 100-continue"]) + rerank(),
    "GET with body": request("GET /v1/models", [], smuggled),
    "DELETE w body": request("DELETE /v1/rerank", [], smuggled),
    "HEAD w body": request("HEAD /v1/rerank", [], smuggled),
    "OPTIONS w body": request("OPTIONS /v1/rerank", [], smuggled),
    "POST no length": request("POST /v1/rerank") + smuggled,
    "no key w smuggled": rerank([], smuggled).replace("Bearer", "Bear"),
    "404 w smuggled big": request("POST /nothing", [], smuggled.repeat(300)),
    "crlf before": "\r\n\r\n" + rerank()
  }
}
