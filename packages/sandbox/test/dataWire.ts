import * as fc from "fast-check"

/** Malformed and malicious query strings. */
export const hostile: ReadonlyArray<string> = [
  "%",
  "%ff",
  "url=%ff%fe",
  "url=%C3%28",
  "%E0%A4%A=1",
  "a=1&a=2",
  "url=a&url=b",
  "=&=",
  "x".repeat(20_000),
  "__proto__=1&constructor=2&toString=3",
  "%00=%00"
]

export const garbage = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.webQueryParameters(),
  fc.constantFrom(...hostile)
)
