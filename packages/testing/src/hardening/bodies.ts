import { brotliCompressSync, gzipSync } from "node:zlib"
import { type Corpus, accepted, closedWith, question, answeredWith, request, rerank, smuggled } from "./requests.ts"

const latin1 = (bytes: Buffer) => bytes.toString("latin1")
const each = (bodies: Readonly<Record<string, string>>, wrap: (body: string) => string) =>
  Object.fromEntries(Object.entries(bodies).map(([name, body]) => [name, wrap(body)]))

const arraysOf = (deep: number) => "[".repeat(deep) + "]".repeat(deep)
const objectsOf = (deep: number) => `${'{"a":'.repeat(deep)}1${"}".repeat(deep)}`

const arrays = arraysOf(100_000)
const objects = objectsOf(100_000)
const withFields = (more: string) => `{"query":"q","documents":["d"],${more}}`
const rerankWith = (body: string) => rerank([], body)

export const compressed: Corpus = {
  ...answeredWith(400)({
    "10 MB in 10 kB of gzip": rerank(["Content-Encoding: gzip"], latin1(gzipSync(Buffer.alloc(10_000_000, 0x20)))),
    "10 MB in few bytes of brotli": rerank(
      ["Content-Encoding: br"],
      latin1(brotliCompressSync(Buffer.alloc(10_000_000, 0x20)))
    ),
    "a valid request in gzip": rerank(["Content-Encoding: gzip"], latin1(gzipSync(question)))
  }),
  ...accepted({ "plain JSON declared as gzip": rerank(["Content-Encoding: gzip"]) })
}

export const depths: Corpus = {
  ...closedWith(400)(
    each(
      {
        arrays,
        objects,
        "unclosed arrays": "[".repeat(1_000_000),
        "arrays instead of a string": `{"documents":["d"],"query":${arrays}}`,
        "arrays instead of strings": `{"query":"q","documents":${arrays}}`,
        "arrays in an undeclared field": withFields(`"x":${arrays}`),
        "objects in an undeclared field": withFields(`"x":${objects}`)
      },
      rerankWith
    )
  ),
  ...answeredWith(400)(
    each(
      {
        "arrays in a body of 60 kB": arraysOf(30_000),
        "arrays instead of a string in a body of 60 kB": `{"documents":["d"],"query":${arraysOf(30_000)}}`
      },
      rerankWith
    )
  ),
  ...accepted(
    each(
      {
        "arrays in an undeclared field of a body of 60 kB": withFields(`"x":${arraysOf(30_000)}`),
        "objects in an undeclared field of a body of 60 kB": withFields(`"x":${objectsOf(10_000)}`),
        "128 levels in a body of 100 kB": withFields(`"x":${arraysOf(127)},"y":"${"y".repeat(100_000)}"`)
      },
      rerankWith
    )
  )
}

/** A model request, whose upstream validates every field. */
const chat = (more: string, model = "sandbox") =>
  request("POST /v1/chat/completions", [], `{"model":"${model}",${more}}`)
const user = '"messages":[{"role":"user","content":"Why?"}]'

export const chats: Corpus = {
  ...closedWith(400)({
    "arrays instead of messages": chat(`"messages":${arrays}`),
    "arrays instead of a string": chat(`"messages":[{"role":"user","content":${arrays}}]`),
    "objects in tools": chat(`${user},"tools":[${objects}]`)
  }),
  ...answeredWith(400)({
    "1e400 tokens": chat(`${user},"max_tokens":1e400`),
    "1e300 tokens": chat(`${user},"max_tokens":1e300`),
    "2^63 tokens": chat(`${user},"max_tokens":9223372036854775808`),
    "1e-400 tokens": chat(`${user},"max_tokens":1e-400`),
    "-0 tokens": chat(`${user},"max_tokens":-0`),
    "-1 tokens": chat(`${user},"max_tokens":-1`),
    "1e400 answers": chat(`${user},"n":1e400`),
    "a billion answers": chat(`${user},"n":1000000000`)
  }),
  ...answeredWith(400)({ "a model's name of 100 kB": chat(user, "x".repeat(100_000)) }),
  ...answeredWith(402)({ "ten thousand answers": chat(`${user},"n":10000`) }),
  ...answeredWith(404)(
    Object.fromEntries(
      ["__proto__", "constructor", "toString", "\\ud800", "\\u0000", "x".repeat(200)].map((model) => [
        `the model ${model.slice(0, 20)}`,
        chat(user, model)
      ])
    )
  )
}

const manyFields = (count: number): string => Array.from({ length: count }, (_, i) => `"f${i}":1`).join()

export const texts: Corpus = {
  ...answeredWith(400)(
    each(
      {
        "a string": '"x"',
        "a number": "1",
        "an array": "[1]",
        null: "null",
        "a space": " ",
        "truncated JSON": question.slice(0, -1),
        "JSON followed by more": question + question.slice(0, 9),
        "a comment": `${question}//`,
        NaN: withFields('"top_n":NaN'),
        "1e400 for a count": withFields('"top_n":1e400'),
        "1e-400 for a count": withFields('"top_n":1e-400'),
        "-0 for a count": withFields('"top_n":-0'),
        "2^63 for a count": withFields('"top_n":9223372036854775808'),
        "a field twice": withFields('"query":"r"'),
        "a field twice, once escaped": withFields('"\\u0071uery":"r"'),
        "a field twice, once in capitals": withFields('"QUERY":"r"'),
        "a field twice within a field": withFields('"x":{"most":1,"most":9}'),
        "a field twice within a field, once escaped": withFields('"x":{"most":1,"mos\\u0074":9}'),
        "a raw NUL": withFields('"x":"\0"'),
        "bytes that are not UTF-8": withFields('"x":"\xff\xfe"'),
        "an overlong slash": withFields('"x":"\xc0\xaf"'),
        "half a surrogate pair in UTF-8": withFields('"x":"\xed\xa0\x80"'),
        "UTF-16 with a byte order mark": latin1(Buffer.from(`\ufeff${question}`, "utf16le")),
        "UTF-16": latin1(Buffer.from(question, "utf16le")),
        "two byte order marks": `\xef\xbb\xbf\xef\xbb\xbf${question}`,
        "all fields in __proto__": `{"__proto__":${question}}`,
        "one field in __proto__": '{"query":"q","__proto__":{"documents":["d"]}}',
        "all fields in constructor.prototype": `{"constructor":{"prototype":${question}}}`
      },
      rerankWith
    )
  ),
  ...accepted(
    each(
      {
        "names that every object has": withFields(
          '"__proto__":{"top_n":0},"constructor":{"prototype":{"x":1}},"prototype":1'
        ),
        "__proto__: null": withFields('"__proto__":null'),
        "the model __proto__": withFields('"model":"__proto__"'),
        "1e400 in an undeclared field": withFields('"x":1e400'),
        "half a surrogate pair": withFields('"x":"\\ud800"'),
        "an escaped NUL": withFields('"x":"\\u0000"'),
        "a UTF-8 byte order mark": `\xef\xbb\xbf${question}`,
        "9,900 fields": withFields(manyFields(9_900))
      },
      rerankWith
    )
  ),
  // Not read to its end.
  ...closedWith(400)(each({ "49,000 fields": withFields(manyFields(49_000)) }, rerankWith))
}

/** Of a rerank. */
const limit = 4 * 1024 * 1024

export const sizes: Corpus = closedWith(413)({
  "a byte too many": rerank([], " ".repeat(limit + 1)) + smuggled,
  "a byte too many, in chunks": `${request("POST /v1/rerank", ["Transfer-Encoding: chunked"])}${(limit + 1).toString(16)}\r\n${" ".repeat(limit + 1)}\r\n0\r\n\r\n${smuggled}`,
  "a declared terabyte that is not sent": request("POST /v1/rerank", ["Content-Length: 1000000000000"])
})

const usage = (query: string) => request(`GET /v1/usage?${query}`)

export const queries: Corpus = {
  ...answeredWith(400)(
    each(
      {
        "14 kB": `a=${"x".repeat(14_000)}`,
        "7,000 parameters": "a&".repeat(7000),
        "a lone %": "start_time=%",
        "not UTF-8": "start_time=%ff",
        "half a surrogate pair": "start_time=%ed%a0%80",
        "%00": "start_time=%00",
        __proto__: "__proto__=1",
        "__proto__[start_time]": "__proto__[start_time]=1",
        "constructor.prototype": "constructor.prototype.start_time=1",
        "an array": "start_time[]=1",
        "1e400": "start_time=1e400",
        "-0": "start_time=-0",
        "twenty digits": "start_time=99999999999999999999",
        "a time beyond the calendar": "start_time=999999999999999",
        "an invalid value before a valid one": `start_time=x&start_time=${Math.floor(Date.now() / 1000) - 60}`
      },
      usage
    )
  ),
  ...closedWith(431)({ "10,000 parameters in 100 kB": usage(`${"abcdefgh=1&".repeat(10_000)}`) }),
  ...answeredWith(400)({
    "__proto__ beside a valid parameter": usage(
      `__proto__=1&constructor=2&start_time=${Math.floor(Date.now() / 1000) - 60}`
    )
  })
}
