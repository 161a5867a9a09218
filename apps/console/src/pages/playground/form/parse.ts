import { type Parsed, parseJson } from "../state/json.ts"

const decimal = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/

export const parseNumber = (text: string, whole: boolean): Parsed<number> => {
  const trimmed = text.trim()
  const value = decimal.test(trimmed) ? Number(trimmed) : Number.NaN
  if (!Number.isFinite(value)) return { problem: whole ? "This is a whole number, such as 12" : "This is a number, such as 0.7" }
  return whole && !Number.isSafeInteger(value) ? { problem: "This is a whole number, such as 12" } : { value }
}

export const parseValue = (text: string): Parsed<unknown> => parseJson(text)
