import * as fc from "fast-check"

const units = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes))

/** Text of any UTF-16 units, halves of characters included. Fast-check's own `binary` takes seconds to build. */
export const anyText = fc.oneof(units, fc.string())
