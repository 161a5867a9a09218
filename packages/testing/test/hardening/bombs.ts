import { key } from "@tollgate/testing"
import { gzipSync } from "node:zlib"
import { request, rerank } from "./target.ts"
const big = "x".repeat(5_000_000)
const L = (b: Buffer) => b.toString("latin1")
const chat = (body: string, h: string[] = []) => request("POST /v1/chat/completions", h, body)
export const all = {
  headers: {
    "1000 headers": rerank(Array.from({ length: 1000 }, (_, i) => `X-${i}: 1`)),
    "101 headers with 5MB body": request(
      "POST /v1/rerank",
      Array.from({ length: 101 }, (_, i) => `X-${i}: 1`),
      big
    ),
    "two hosts 5MB body": request("POST /v1/rerank", ["Host: b"], big),
    "1MB header": rerank(["X-A: " + "x".repeat(1_000_000)]),
    "1MB header with body 5MB": request("POST /v1/rerank", ["X-A: " + "x".repeat(1_000_000)], big),
    "100kB URL": rerank().replace("/v1/rerank", "/v1/rerank?a=" + "x".repeat(100_000)),
    "15kB URL": rerank().replace("/v1/rerank", "/v1/rerank?a=" + "x".repeat(15_000)),
    "50 x-api-key": request(
      "POST /v1/messages",
      Array.from({ length: 50 }, (_, i) => `x-api-key: k${i}`),
      "{}"
    ).replace(/Authorization.*\r\n/, ""),
    "x-api-key twice: good, bad": request("POST /v1/messages", [`x-api-key: ${key}`, "x-api-key: bad"], "{}").replace(
      /Authorization.*\r\n/,
      ""
    ),
    "x-api-key twice: bad, good": request("POST /v1/messages", ["x-api-key: bad", `x-api-key: ${key}`], "{}").replace(
      /Authorization.*\r\n/,
      ""
    ),
    "x-api-key twice same": request("POST /v1/messages", [`x-api-key: ${key}`, `x-api-key: ${key}`], "{}").replace(
      /Authorization.*\r\n/,
      ""
    ),
    "Authorization good, bad": rerank(["Authorization: Bearer bad"]),
    "Authorization bad, good": rerank([`Authorization: Bearer ${key}`]).replace(key, "bad"),
    "Authorization twice same": rerank([`Authorization: Bearer ${key}`]),
    "Authorization list": rerank().replace(key, key + ", Bearer bad"),
    "Content-Type twice": rerank(["Content-Type: application/json", "Content-Type: text/plain"]),
    "Idempotency-Key 10kB": rerank(["Idempotency-Key: " + "k".repeat(10_000)]),
    "Idempotency-Key twice": rerank(["Idempotency-Key: a", "Idempotency-Key: b"]),
    "Idempotency-Key __proto__": rerank(["Idempotency-Key: __proto__"]),
    "Idempotency-Key latin1": rerank(["Idempotency-Key: \xe4"]),
    "Idempotency-Key empty": rerank(["Idempotency-Key: "]),
    "Max-Price 10000 digits": rerank(["X-Tollgate-Max-Price-Usd: " + "9".repeat(10_000)]),
    "Max-Price 0.000..1": rerank(["X-Tollgate-Max-Price-Usd: 0." + "0".repeat(10_000)]),
    "Max-Price twice": rerank(["X-Tollgate-Max-Price-Usd: 1", "X-Tollgate-Max-Price-Usd: 0"]),
    "Max-Price 1e400": rerank(["X-Tollgate-Max-Price-Usd: 1e400"]),
    "Max-Price -1": rerank(["X-Tollgate-Max-Price-Usd: -1"]),
    "Max-Price NaN": rerank(["X-Tollgate-Max-Price-Usd: NaN"]),
    "utf8 header": rerank(["X-A: " + L(Buffer.from("ä€😀"))]),
    "utf8 auth": rerank().replace(key, L(Buffer.from("ä€😀"))),
    "latin1 origin": rerank(["Origin: \xe4"]),
    "origin crlf enc": rerank(["Origin: a%0d%0aX: y"]),
    "__proto__ header": rerank(["__proto__: x", "constructor: y", "prototype: z", "toString: 1"]),
    "preflight bomb": request("OPTIONS /v1/rerank", ["Access-Control-Request-Headers: " + "x".repeat(10_000)]),
    "preflight latin1": request("OPTIONS /v1/rerank", ["Access-Control-Request-Headers: \xe4\xf6"]),
    "scenario bomb": rerank(["X-Tollgate-Scenario: " + "slow;".repeat(2000)]),
    "cost mode": rerank(["X-Tollgate-Cost-Mode: __proto__"]),
    cookie: rerank(["Cookie: " + "__proto__=a; ".repeat(900)]),
    "expect many": rerank(["Expect: " + "100-continue,".repeat(100)]),
    "content-encoding gzip": rerank(["Content-Encoding: gzip"], L(gzipSync(Buffer.alloc(10_000_000, 32)))),
    "content-encoding gzip ok json": rerank(
      ["Content-Encoding: gzip"],
      L(gzipSync(JSON.stringify({ query: "q", documents: ["d"] })))
    ),
    "content-encoding gzip lie": rerank(["Content-Encoding: gzip"]),
    "content-encoding br": rerank(["Content-Encoding: br"]),
    "content-encoding identity": rerank(["Content-Encoding: identity"]),
    "content-type form": rerank(["Content-Type: application/x-www-form-urlencoded"]),
    "content-type multipart": rerank(["Content-Type: multipart/form-data; boundary=x"]),
    "content-type utf16": rerank(["Content-Type: application/json; charset=utf-16"])
  },
  json: Object.fromEntries(
    Object.entries({
      "[ x100k": "[".repeat(100_000) + "]".repeat(100_000),
      "{ x100k": '{"a":'.repeat(100_000) + "1" + "}".repeat(100_000),
      "deep unknown field arrays":
        '{"query":"q","documents":["d"],"x":' + "[".repeat(100_000) + "]".repeat(100_000) + "}",
      "deep unknown field objects":
        '{"query":"q","documents":["d"],"x":' + '{"a":'.repeat(100_000) + "1" + "}".repeat(100_000) + "}",
      "deep query": '{"documents":["d"],"query":' + "[".repeat(100_000) + "]".repeat(100_000) + "}",
      "deep documents": '{"query":"q","documents":' + "[".repeat(100_000) + "]".repeat(100_000) + "}",
      unclosed: "[".repeat(1_000_000),
      string: '"x"',
      number: "1",
      array: "[1]",
      null: "null",
      true: "true",
      empty: " ",
      proto: '{"__proto__":{"query":"q","documents":["d"]}}',
      "proto extra":
        '{"query":"q","documents":["d"],"__proto__":{"top_n":1},"constructor":{"prototype":{"a":1}},"prototype":1}',
      "proto null": '{"query":"q","documents":["d"],"__proto__":null}',
      "1e400 top_n": '{"query":"q","documents":["d"],"top_n":1e400}',
      "-0 top_n": '{"query":"q","documents":["d"],"top_n":-0}',
      "2^63 top_n": '{"query":"q","documents":["d"],"top_n":9223372036854775808}',
      "1e-400 top_n": '{"query":"q","documents":["d"],"top_n":1e-400}',
      "1e400 unknown": '{"query":"q","documents":["d"],"x":1e400}',
      "lone surrogate": '{"query":"\\ud800","documents":["d"]}',
      "NUL esc": '{"query":"\\u0000","documents":["d"]}',
      "NUL raw": '{"query":"\0","documents":["d"]}',
      "invalid utf8": '{"query":"\xff\xfe","documents":["d"]}',
      "overlong utf8": '{"query":"\xc0\xaf","documents":["d"]}',
      cesu: '{"query":"\xed\xa0\x80","documents":["d"]}',
      "utf8 bom": '\xef\xbb\xbf{"query":"q","documents":["d"]}',
      "two boms": '\xef\xbb\xbf\xef\xbb\xbf{"query":"q","documents":["d"]}',
      "utf16le bom": L(Buffer.from('\ufeff{"query":"q","documents":["d"]}', "utf16le")),
      utf16le: L(Buffer.from('{"query":"q","documents":["d"]}', "utf16le")),
      dup: '{"query":"q","documents":["d"],"query":"r"}',
      "dup esc": '{"query":"q","documents":["d"],"\\u0071uery":"r"}',
      "dup case": '{"query":"q","documents":["d"],"Query":"r"}',
      trailing: '{"query":"q","documents":["d"]}{"query"',
      comment: '{"query":"q","documents":["d"]}//',
      NaN: '{"query":"q","documents":["d"],"top_n":NaN}',
      "100k docs": JSON.stringify({ query: "q", documents: Array.from({ length: 100_000 }, () => "d") }),
      "100k fields":
        "{" + Array.from({ length: 100_000 }, (_, i) => `"f${i}":1`).join(",") + ',"query":"q","documents":["d"]}',
      "model proto": '{"query":"q","documents":["d"],"model":"__proto__"}',
      "model number": '{"query":"q","documents":["d"],"model":7}',
      "model 1MB": '{"query":"q","documents":["d"],"model":"' + "m".repeat(1_000_000) + '"}',
      "16MiB+1": "x".repeat(16 * 1024 * 1024 + 1)
    }).map(([k, b]) => [k, rerank([], b)])
  ),
  chat: Object.fromEntries(
    Object.entries({
      "deep messages": '{"model":"sandbox","messages":' + "[".repeat(100_000) + "]".repeat(100_000) + "}",
      "deep content":
        '{"model":"sandbox","messages":[{"role":"user","content":' + "[".repeat(100_000) + "]".repeat(100_000) + "}]}",
      "deep tools":
        '{"model":"sandbox","messages":[{"role":"user","content":"a"}],"tools":' +
        '[{"a":'.repeat(50_000) +
        "1" +
        "}]".repeat(50_000) +
        "}",
      "max_tokens 1e400": '{"model":"sandbox","max_tokens":1e400,"messages":[{"role":"user","content":"a"}]}',
      "max_tokens -1": '{"model":"sandbox","max_tokens":-1,"messages":[{"role":"user","content":"a"}]}',
      "max_tokens 2^63":
        '{"model":"sandbox","max_tokens":9223372036854775808,"messages":[{"role":"user","content":"a"}]}',
      "max_tokens 1e300": '{"model":"sandbox","max_tokens":1e300,"messages":[{"role":"user","content":"a"}]}',
      "max_tokens 1.5": '{"model":"sandbox","max_tokens":1.5,"messages":[{"role":"user","content":"a"}]}',
      "max_tokens 1e-400": '{"model":"sandbox","max_tokens":1e-400,"messages":[{"role":"user","content":"a"}]}',
      "max_tokens proto": '{"model":"sandbox","__proto__":{"max_tokens":1},"messages":[{"role":"user","content":"a"}]}',
      "model __proto__": '{"model":"__proto__","messages":[{"role":"user","content":"a"}]}',
      "model constructor": '{"model":"constructor","messages":[{"role":"user","content":"a"}]}',
      "model toString": '{"model":"toString","messages":[{"role":"user","content":"a"}]}',
      "model lone": '{"model":"\\ud800","messages":[{"role":"user","content":"a"}]}',
      "n 1e9": '{"model":"sandbox","n":1000000000,"messages":[{"role":"user","content":"a"}]}',
      "n 1e400": '{"model":"sandbox","n":1e400,"messages":[{"role":"user","content":"a"}]}',
      "stream 1": '{"model":"sandbox","stream":1,"messages":[{"role":"user","content":"a"}]}',
      "stream str": '{"model":"sandbox","stream":"true","messages":[{"role":"user","content":"a"}]}',
      "messages proto": '{"model":"sandbox","messages":{"__proto__":[]}}',
      "stream_options deep":
        '{"model":"sandbox","stream":true,"stream_options":' +
        "[".repeat(100_000) +
        "]".repeat(100_000) +
        ',"messages":[{"role":"user","content":"a"}]}'
    }).map(([k, b]) => [k, chat(b)])
  ),
  query: Object.fromEntries(
    Object.entries({
      "14kB": "?a=" + "x".repeat(14_000),
      "7000 params": "?" + "a&".repeat(7000),
      "garbage %": "?start_time=%",
      "%ff": "?start_time=%ff",
      "%00": "?start_time=%00",
      proto: "?__proto__=1&start_time=1",
      "proto[]": "?__proto__[start_time]=1",
      "constructor.prototype": "?constructor.prototype.start_time=1",
      repeated: "?start_time=1&start_time=x",
      array: "?start_time[]=1",
      "1e400": "?start_time=1e400",
      "-0": "?start_time=-0",
      big: "?start_time=99999999999999999999",
      max: "?start_time=999999999999999",
      min: "?start_time=-999999999999999",
      surrogate: "?start_time=%ed%a0%80",
      "start>end": "?start_time=5&end_time=1",
      span: "?start_time=1&end_time=999999999999999",
      none: "?",
      "start_time 1": "?start_time=1"
    }).map(([k, q]) => [k, request("GET /v1/usage" + q)])
  )
}
