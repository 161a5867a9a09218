import * as fc from "fast-check"

/** Any code point, lone surrogates included. fast-check's own `binary` takes a second to build its tables. */
export const character = fc.oneof(
  fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCodePoint(code)),
  fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code))
)
