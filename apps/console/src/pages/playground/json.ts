export type Arguments = Readonly<Record<string, unknown>>

export type Parsed<A> = { readonly value: A } | { readonly problem: string }

/** The platform's words name the place of the mistake. */
export const parseJson = (text: string): Parsed<unknown> => {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { problem: `This is not valid JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
}

export const isObject = (value: unknown): value is Arguments =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const parseArguments = (text: string): Parsed<Arguments> => {
  const parsed = parseJson(text)
  if ("problem" in parsed) return parsed
  return isObject(parsed.value) ? { value: parsed.value } : { problem: "The arguments are one JSON object: { … }" }
}

export const problemIn = (text: string): string | undefined => {
  const parsed = parseArguments(text)
  return "problem" in parsed ? parsed.problem : undefined
}

export const pretty = (value: unknown): string => JSON.stringify(value, null, 2)

export type Path = ReadonlyArray<string>

export const keyOf = (path: Path): string => JSON.stringify(path)

export const getIn = (from: unknown, path: Path): unknown =>
  path.reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), from)

/** The same arguments with another value at the path, in the same order. `undefined` removes it. */
export const setIn = (from: Arguments, [name, ...rest]: Path, value: unknown): Arguments => {
  if (name === undefined) return from
  const inner = getIn(from, [name])
  const next = rest.length === 0 ? value : setIn(isObject(inner) ? inner : {}, rest, value)
  const entries = Object.entries(from)
  if (next === undefined) return Object.fromEntries(entries.filter(([key]) => key !== name))
  // `fromEntries` defines its keys, so that `__proto__` is a name like any other.
  return Object.fromEntries(
    Object.hasOwn(from, name)
      ? entries.map(([key, old]): [string, unknown] => [key, key === name ? next : old])
      : [...entries, [name, next]]
  )
}

const decimal = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/

export const parseNumber = (text: string, whole: boolean): Parsed<number> => {
  const trimmed = text.trim()
  const value = decimal.test(trimmed) ? Number(trimmed) : Number.NaN
  if (!Number.isFinite(value))
    return { problem: whole ? "This is a whole number, such as 12" : "This is a number, such as 0.7" }
  return whole && !Number.isSafeInteger(value) ? { problem: "This is a whole number, such as 12" } : { value }
}

/** A longer text is not laid out in a field that grows with it: a browser takes seconds for it. */
export const largeLength = 50_000

/** Whether a value has too much text for a form. It looks no further than it needs to. */
export const isLarge = (value: unknown): boolean => {
  let left = largeLength
  const take = (each: unknown): boolean => {
    if (left < 0) return true
    if (typeof each === "string") left -= each.length
    else if (typeof each === "object" && each !== null) return Object.values(each).some(take)
    else left -= 4
    return left < 0
  }
  return take(value)
}

/** The fields that errors of the client have. Each may be missing. */
export interface ErrorMessage {
  readonly _tag?: string
  readonly message?: string
  readonly code?: string
  readonly status?: number
  readonly type?: string
  readonly outcome?: string
  readonly charge?: unknown
  readonly requestId?: string
  readonly idempotencyKey?: string
  /** Milliseconds. */
  readonly retryAfter?: number
  readonly events?: number
  readonly body?: string
  readonly cause?: unknown
}

/** An error of the client as data: a tagged error, or whatever else was thrown. */
export const errorMessageOf = (error: unknown): ErrorMessage => {
  if (isObject(error)) return error
  return { message: String(error) }
}
