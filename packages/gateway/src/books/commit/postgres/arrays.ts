/** Arrays as PostgreSQL reads them from text. */

const isPlain = (value: string): boolean =>
  /^[\w:.-]+$/.test(value) && (value.length !== 4 || value.toLowerCase() !== "null")

const quoted = (value: string): string => (isPlain(value) ? value : `"${value.replaceAll(/["\\]/g, "\\$&")}"`)

export const texts = (values: ReadonlyArray<string | null | undefined>): string =>
  `{${values.map((value) => (value === null || value === undefined ? "NULL" : quoted(value))).join(",")}}`

export const integers = (values: ReadonlyArray<bigint | number | null | undefined>): string =>
  `{${values.map((value) => (value === null || value === undefined ? "NULL" : String(value))).join(",")}}`

export const booleans = (values: ReadonlyArray<boolean>): string =>
  `{${values.map((value) => (value ? "t" : "f")).join(",")}}`

/** An array of integers without NULLs. */
export const parseIntegers = (text: string): ReadonlyArray<number> =>
  text === "{}" ? [] : text.slice(1, -1).split(",").map(Number)
