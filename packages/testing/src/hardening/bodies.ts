import { brotliCompressSync, gzipSync } from "node:zlib"
import { type Corpus, carriedOut, cutOff, question, refused, request, rerank, smuggled } from "./requests.ts"

const latin1 = (bytes: Buffer) => bytes.toString("latin1")
const each = (bodies: Readonly<Record<string, string>>, wrap: (body: string) => string) =>
  Object.fromEntries(Object.entries(bodies).map(([name, body]) => [name, wrap(body)]))

const deep = 100_000
const arrays = "[".repeat(deep) + "]".repeat(deep)
const objects = `${'{"a":'.repeat(deep)}1${"}".repeat(deep)}`
const asked = (more: string) => `{"query":"q","documents":["d"],${more}}`
const rerankWith = (body: string) => rerank([], body)

export const compressed: Corpus = {
  ...refused(400)({
    "10 MB in 10 kB of gzip": rerank(["Content-Encoding: gzip"], latin1(gzipSync(Buffer.alloc(10_000_000, 0x20)))),
    "10 MB in few bytes of brotli": rerank(
      ["Content-Encoding: br"],
      latin1(brotliCompressSync(Buffer.alloc(10_000_000, 0x20)))
    ),
    "a good question in gzip": rerank(["Content-Encoding: gzip"], latin1(gzipSync(question)))
  }),
  ...carriedOut({ "no gzip, though it is said": rerank(["Content-Encoding: gzip"]) })
}

export const depths: Corpus = {
  ...refused(400)(
    each(
      {
        arrays,
        objects,
        "arrays without an end": "[".repeat(1_000_000),
        "arrays for a text": `{"documents":["d"],"query":${arrays}}`,
        "arrays for texts": `{"query":"q","documents":${arrays}}`
      },
      rerankWith
    )
  ),
  ...carriedOut(
    each({ "arrays in a field of one's own": asked(`"x":${arrays}`), objects: asked(`"x":${objects}`) }, rerankWith)
  )
}

/** For a model, whose upstream looks at all of it. */
const chat = (more: string, model = "sandbox") =>
  request("POST /v1/chat/completions", [], `{"model":"${model}",${more}}`)
const user = '"messages":[{"role":"user","content":"Why?"}]'

export const chats: Corpus = {
  ...refused(400)({
    "arrays for messages": chat(`"messages":${arrays}`),
    "arrays for a text": chat(`"messages":[{"role":"user","content":${arrays}}]`),
    "objects in tools": chat(`${user},"tools":[${objects}]`),
    "1e400 tokens": chat(`${user},"max_tokens":1e400`),
    "1e300 tokens": chat(`${user},"max_tokens":1e300`),
    "2^63 tokens": chat(`${user},"max_tokens":9223372036854775808`),
    "1e-400 tokens": chat(`${user},"max_tokens":1e-400`),
    "-0 tokens": chat(`${user},"max_tokens":-0`),
    "-1 tokens": chat(`${user},"max_tokens":-1`),
    "1e400 answers": chat(`${user},"n":1e400`)
  }),
  ...refused(402)({ "a billion answers": chat(`${user},"n":1000000000`) }),
  ...refused(404)(
    Object.fromEntries(
      ["__proto__", "constructor", "toString", "\\ud800", "\\u0000", "x".repeat(100_000)].map((model) => [
        `the model ${model.slice(0, 20)}`,
        chat(user, model)
      ])
    )
  )
}

export const texts: Corpus = {
  ...refused(400)(
    each(
      {
        "a string": '"x"',
        "a number": "1",
        "an array": "[1]",
        null: "null",
        "a space": " ",
        "half of it": question.slice(0, -1),
        "one and a half": question + question.slice(0, 9),
        "a comment": `${question}//`,
        NaN: asked('"top_n":NaN'),
        "1e400 for a count": asked('"top_n":1e400'),
        "1e-400 for a count": asked('"top_n":1e-400'),
        "-0 for a count": asked('"top_n":-0'),
        "2^63 for a count": asked('"top_n":9223372036854775808'),
        "a field twice": asked('"query":"r"'),
        "a field twice, once in escapes": asked('"\\u0071uery":"r"'),
        "a field twice, once in capitals": asked('"QUERY":"r"'),
        "a field twice within a field": asked('"x":{"most":1,"most":9}'),
        "a field twice within a field, once in escapes": asked('"x":{"most":1,"mos\\u0074":9}'),
        "NUL as it is": asked('"x":"\0"'),
        "bytes that are no UTF-8": asked('"x":"\xff\xfe"'),
        "an overlong slash": asked('"x":"\xc0\xaf"'),
        "half a surrogate pair in UTF-8": asked('"x":"\xed\xa0\x80"'),
        "UTF-16 with a mark": latin1(Buffer.from(`\ufeff${question}`, "utf16le")),
        "UTF-16": latin1(Buffer.from(question, "utf16le")),
        "two marks": `\xef\xbb\xbf\xef\xbb\xbf${question}`,
        "all in __proto__": `{"__proto__":${question}}`,
        "a part in __proto__": '{"query":"q","__proto__":{"documents":["d"]}}',
        "all in constructor.prototype": `{"constructor":{"prototype":${question}}}`
      },
      rerankWith
    )
  ),
  ...carriedOut(
    each(
      {
        "names of every object": asked('"__proto__":{"top_n":0},"constructor":{"prototype":{"x":1}},"prototype":1'),
        "__proto__: null": asked('"__proto__":null'),
        "the model __proto__": asked('"model":"__proto__"'),
        "1e400 in a field of one's own": asked('"x":1e400'),
        "half a surrogate pair": asked('"x":"\\ud800"'),
        "NUL in escapes": asked('"x":"\\u0000"'),
        "a mark of UTF-8": `\xef\xbb\xbf${question}`,
        "100,000 fields": asked(Array.from({ length: 100_000 }, (_, i) => `"f${i}":1`).join())
      },
      rerankWith
    )
  )
}

const limit = 16 * 1024 * 1024

export const sizes: Corpus = cutOff(413)({
  "a byte too many": rerank([], " ".repeat(limit + 1)) + smuggled,
  "a byte too many, in chunks": `${request("POST /v1/rerank", ["Transfer-Encoding: chunked"])}${(limit + 1).toString(16)}\r\n${" ".repeat(limit + 1)}\r\n0\r\n\r\n${smuggled}`,
  "a terabyte that does not come": request("POST /v1/rerank", ["Content-Length: 1000000000000"])
})

const usage = (query: string) => request(`GET /v1/usage?${query}`)

export const queries: Corpus = {
  ...refused(400)(
    each(
      {
        "14 kB": `a=${"x".repeat(14_000)}`,
        "7,000 parameters": "a&".repeat(7000),
        "a lone %": "start_time=%",
        "no UTF-8": "start_time=%ff",
        "half a surrogate pair": "start_time=%ed%a0%80",
        "%00": "start_time=%00",
        __proto__: "__proto__=1",
        "__proto__[start_time]": "__proto__[start_time]=1",
        "constructor.prototype": "constructor.prototype.start_time=1",
        "an array": "start_time[]=1",
        "1e400": "start_time=1e400",
        "-0": "start_time=-0",
        "twenty digits": "start_time=99999999999999999999",
        "a time that no calendar has": "start_time=999999999999999",
        "a bad one before a good one": `start_time=x&start_time=${Math.floor(Date.now() / 1000) - 60}`
      },
      usage
    )
  ),
  ...cutOff(431)({ "10,000 parameters in 100 kB": usage(`${"abcdefgh=1&".repeat(10_000)}`) }),
  ...refused(200)({
    "__proto__ beside a good one": usage(`__proto__=1&constructor=2&start_time=${Math.floor(Date.now() / 1000) - 60}`)
  })
}
