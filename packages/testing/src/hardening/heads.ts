import { key } from "../TestGateway.ts"
import {
  type Corpus,
  closedWith,
  accepted,
  answeredWith,
  request,
  rerank,
  smuggled,
  withoutCredential
} from "./requests.ts"

const headed = (...headers: ReadonlyArray<string>) => rerank(headers)
const strange = (header: string) => rerank().replace(`Bearer ${key}`, header)
const cap = (amount: string) => headed(`X-Tollgate-Max-Price-Usd: ${amount}`)
const keyed = (...keys: ReadonlyArray<string>) =>
  withoutCredential(
    request(
      "POST /v1/messages",
      keys.map((value) => `x-api-key: ${value}`),
      JSON.stringify({ model: "sandbox", max_tokens: 9, messages: [{ role: "user", content: "Why?" }] })
    )
  )
const named = (count: number) => Array.from({ length: count }, (_, i) => `X-${i}: 1`)
/** The UTF-8 bytes of the text, one character each. */
const utf8 = (text: string) => Buffer.from(text).toString("latin1")

export const oversized: Corpus = {
  ...closedWith(431)({
    "1,000 headers": headed(...named(1000)) + smuggled,
    "1,000 headers of one name": headed(...Array.from({ length: 1000 }, () => "X-A: 1")) + smuggled,
    "a header of 1 MB": headed(`X-A: ${"x".repeat(1_000_000)}`) + smuggled,
    "a name of 1 MB": headed(`${"x".repeat(1_000_000)}: a`) + smuggled,
    "a credential of 1 MB": strange(`Bearer ${"x".repeat(1_000_000)}`) + smuggled,
    "an address of 100 kB": rerank().replace("/v1/rerank", `/v1/rerank?a=${"x".repeat(100_000)}`) + smuggled
  }),
  ...answeredWith(401)({ "a credential of 10 kB": strange(`Bearer ${"x".repeat(10_000)}`) }),
  ...answeredWith(400)({
    "an idempotency key of 10 kB": headed(`Idempotency-Key: ${"k".repeat(10_000)}`),
    "a cap of 10,000 digits": cap("9".repeat(10_000)),
    "a cap of 10,000 decimals": cap(`0.${"0".repeat(10_000)}1`),
    "a mode of 10 kB": headed(`X-Tollgate-Cost-Mode: ${"quote".repeat(2000)}`)
  }),
  ...answeredWith(204)({
    "a preflight of 10 kB": request("OPTIONS /v1/rerank", [`Access-Control-Request-Headers: ${"x".repeat(10_000)}`])
  })
}

/** A repeated credential or cap is refused, because it is ambiguous. */
export const repeated: Corpus = {
  ...closedWith(400)({
    "a valid and an invalid credential": headed("Authorization: Bearer other") + smuggled,
    "an invalid and a valid credential":
      strange("Bearer other").replace("\r\n", `\r\nAUTHORIZATION: Bearer ${key}\r\n`) + smuggled,
    "a credential twice": headed(`authorization: Bearer ${key}`) + smuggled
  }),
  ...answeredWith(401)({
    "credentials on one line": strange(`Bearer ${key}, Bearer other`),
    "a valid and an invalid x-api-key": keyed(key, "other"),
    "an invalid and a valid x-api-key": keyed("other", key),
    "fifty x-api-key headers": keyed(...Array.from({ length: 50 }, (_, i) => `key${i}`))
  }),
  ...answeredWith(400)({ "two caps": headed("X-Tollgate-Max-Price-Usd: 1", "X-Tollgate-Max-Price-Usd: 0") })
}

export const values: Corpus = {
  ...answeredWith(401)({
    "a credential beyond ASCII": strange(`Bearer ${utf8("ä€😀")}`),
    "a credential __proto__": strange("Bearer __proto__"),
    "a credential of another scheme": strange(`Basic ${key}`),
    "a scheme without a credential": strange("Bearer "),
    "a credential in capitals": strange(`Bearer ${key.toUpperCase()}`)
  }),
  ...answeredWith(400)({
    "an idempotency key in Latin-1": headed("Idempotency-Key: \xe4"),
    "an idempotency key in UTF-8": headed(`Idempotency-Key: ${utf8("€")}`),
    "an empty idempotency key": headed("Idempotency-Key: "),
    "a cap of 1e400": cap("1e400"),
    "a negative cap": cap("-1"),
    "a cap of NaN": cap("NaN"),
    "a cap of Infinity": cap("Infinity"),
    "a cap in hexadecimal": cap("0x10"),
    "a cap in non-ASCII digits": cap(utf8("١")),
    "a mode __proto__": headed("X-Tollgate-Cost-Mode: __proto__")
  }),
  ...answeredWith(402)({ "a cap of 0": cap("0") }),
  ...accepted({
    "any header in UTF-8": headed(`X-A: ${utf8("ä€😀")}`, "Origin: \xe4"),
    "names that every object has": headed(
      "__proto__: a",
      "constructor: b",
      "prototype: c",
      "toString: d",
      "hasOwnProperty: e"
    ),
    "cookies with such names": headed(`Cookie: ${"__proto__=a; constructor=b; ".repeat(300)}`),
    "an idempotency key __proto__": headed("Idempotency-Key: __proto__"),
    "a scenario __proto__": headed("X-Tollgate-Scenario: __proto__; constructor=1")
  })
}
