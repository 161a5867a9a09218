import { type Corpus, closedWith, answeredWith, request, rerank, smuggled } from "./requests.ts"

const good = rerank()
const changed = (from: string, to: string) => good.replace(from, to) + smuggled
const headed = (header: string) => rerank([header]) + smuggled
const at = (address: string) => changed("/v1/rerank", address)

export const lines: Corpus = {
  ...closedWith(400)({
    "bare LFs": good.replaceAll("\r\n", "\n") + smuggled,
    "a bare LF after the request line": changed("\r\n", "\n"),
    "a bare CR after the request line": changed("\r\n", "\r"),
    "a bare LF at the end of the head": changed("\r\n\r\n", "\r\n\n"),
    "a space before the colon": headed("X-A : a"),
    "no colon": headed("X-A"),
    "no name": headed(": a"),
    "a fold": headed("X-A: a\r\n b"),
    "a fold of the request line": changed("\r\n", "\r\n X-A: a\r\n"),
    "NUL in a name": headed("X-\0A: a"),
    "NUL in a value": headed("X-A: a\0b"),
    "a control character in a name": headed("X-\x01A: a"),
    "a control character in a value": headed("X-A: a\x01b"),
    "DEL in a value": headed("X-A: a\x7fb"),
    "a bare CR in a value": headed("X-A: a\rX-B: b"),
    "a bracket in a name": headed("X[A]: a"),
    "a letter beyond ASCII in a name": headed("X-\xe4: a"),
    "two hosts": headed("Host: other"),
    "no host": changed("Host: gateway\r\n", ""),
    "HTTP/1.2": changed("HTTP/1.1", "HTTP/1.2"),
    "http/1.1": changed("HTTP/1.1", "http/1.1"),
    "something after the version": changed("HTTP/1.1", "HTTP/1.1 x"),
    "the preface of HTTP/2": `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${smuggled}`,
    "a TLS handshake": `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${smuggled}`,
    "a method beyond ASCII": changed("POST", "P\xd6ST"),
    "a lower-case method": changed("POST", "post"),
    "a method of 100 kB": changed("POST", "P".repeat(100_000)),
    "a tab after the method": changed("POST ", "POST\t"),
    "a space in the address": at("/v1/rerank /x"),
    "NUL in the address": at("/v1/rerank\0"),
    "a letter beyond ASCII in the address": at("/v1/rer\xe4nk"),
    "an absolute address": at("http://gateway/v1/rerank"),
    "an absolute address of another host": at("http://other/v1/rerank"),
    "an authority": at("gateway:80"),
    "an address without a slash": at("v1/rerank"),
    backslashes: at("\\v1\\rerank"),
    "an asterisk": request("OPTIONS *") + smuggled
  }),
  ...closedWith(405)({ CONNECT: `CONNECT gateway:80 HTTP/1.1\r\nHost: gateway\r\n\r\n${smuggled}` }),
  ...closedWith(505)({
    "no version": `GET /v1/models\r\n\r\n${smuggled}`,
    "HTTP/0.9": changed("HTTP/1.1", "HTTP/0.9"),
    "HTTP/2.0": changed("HTTP/1.1", "HTTP/2.0")
  })
}

/** Paths are compared literally, without decoding or normalizing. */
export const addresses: Corpus = answeredWith(404)(
  Object.fromEntries(
    [
      "//v1/rerank",
      "//other/v1/rerank",
      "/v1//rerank",
      "/v1/rerank/",
      "/v1/rerank//",
      "/v1/./rerank",
      "/v1/x/../rerank",
      "/../v1/rerank",
      "/v1/%2e%2e/v1/rerank",
      "/v1%2frerank",
      "/%2fv1/rerank",
      "/v1/%72erank",
      "/v1/rerank%00",
      "/v1/rerank%20",
      "/v1/rerank%0d%0aX-A:%20a",
      "/v1/rerank%",
      "/v1/rerank;a=b",
      "/v1/rerank#x",
      "/v1/rerank\\",
      "/V1/rerank",
      "/v1/RERANK",
      "/__proto__",
      "/constructor",
      "/v1/__proto__",
      "/v1beta/models/..:generateContent",
      "/v1beta/models/%2e%2e:generateContent",
      "/v1beta/models/%2e%2e%2fx:generateContent",
      "/v1beta/models/%ff:generateContent"
    ].map((address) => [address, good.replace("/v1/rerank", address)])
  )
)

/** Unexpected bodies are never read as the next request. */
export const unexpected: Corpus = {
  ...answeredWith(200)({ "with GET": request("GET /v1/models", [], smuggled) }),
  ...answeredWith(204)({ "with OPTIONS": request("OPTIONS /v1/rerank", [], smuggled) }),
  ...answeredWith(405)({
    "with DELETE": request("DELETE /v1/rerank", [], smuggled),
    "with TRACE": request("TRACE /v1/rerank", [], smuggled)
  }),
  ...answeredWith(404)({ "to an unknown path": request("POST /nothing", [], smuggled.repeat(50)) }),
  ...answeredWith(401)({ "with an invalid credential": rerank([], smuggled).replace("Bearer tg", "Bearer gt") }),
  ...answeredWith(417)({ "with another expectation": rerank(["Expect: x"], smuggled) }),
  ...answeredWith(400)({ "that is not JSON": rerank([], smuggled) }),
  ...closedWith(404)({ "to an unknown path, of 5 MB": request("POST /nothing", [], smuggled.repeat(10_000)) }),
  ...closedWith(400)({
    "of a refused request, of 5 MB": request("POST /v1/rerank", ["Host: b"], smuggled.repeat(10_000))
  }),
  ...closedWith(431)({
    "of too many headers, of 5 MB": request(
      "POST /v1/rerank",
      Array.from({ length: 101 }, (_, i) => `X-${i}: 1`),
      smuggled.repeat(10_000)
    )
  })
}
