import * as Predicate from "effect/Predicate"
import type { Bound, Operation, Pending, Replay } from "../Operation.ts"
import type { LimitGroup } from "../limits.ts"

const maxWidth = 80

/** How a language writes values without parts and the names of fields. */
interface Notation {
  /** `undefined`: what is in it is written. */
  readonly scalar: (value: unknown) => string | undefined
  readonly key: (name: string) => string
  readonly field?: (name: string, value: unknown, text: string) => string
}

/** Writes values for people: what fits goes on one line. `before` is how much of that line is taken. */
export const writer = ({ key, scalar, field = (name, _, text) => `${key(name)}: ${text}` }: Notation) => {
  /** `undefined` as soon as the line has more than `room` characters, or a little later. */
  const lineOf = (value: unknown, room: number): string | undefined => {
    const whole = scalar(value)
    if (whole !== undefined || !Predicate.isObjectOrArray(value)) return whole ?? "null"
    const parts: Array<string> = []
    let left = room
    for (const [name, part] of Object.entries(value)) {
      const line = left < 0 ? undefined : lineOf(part, left)
      if (line === undefined) return undefined
      const text = Array.isArray(value) ? line : field(name, part, line)
      left -= text.length + 2
      parts.push(text)
    }
    if (Array.isArray(value)) return `[${parts.join(", ")}]`
    return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`
  }
  const write = (value: unknown, indent = "", before = indent.length): string => {
    const whole = scalar(value)
    if (whole !== undefined || !Predicate.isObjectOrArray(value)) return whole ?? "null"
    const line = lineOf(value, maxWidth - before)
    if (line !== undefined && before + line.length <= maxWidth) return line
    const inner = `${indent}  `
    const parts = Array.isArray(value)
      ? value.map((part) => write(part, inner))
      : Object.entries(value).map(([name, part]) =>
          field(name, part, write(part, inner, inner.length + key(name).length + 2))
        )
    const [open, close] = Array.isArray(value) ? "[]" : "{}"
    return `${open}\n${parts.map((part) => inner + part).join(",\n")}\n${indent}${close}`
  }
  return write
}

/** Formats JSON for people. */
export const layout = writer({
  scalar: (value) => (Predicate.isObjectOrArray(value) ? undefined : JSON.stringify(value)),
  key: (name) => JSON.stringify(name)
})

/** The limits of a group, in addition to the tier's requests per minute. */
export const limitsOf = ({ concurrency, rpm, tasks, tokens }: LimitGroup): string =>
  [
    ...(rpm === undefined
      ? []
      : [rpm === "upstream" ? "the upstream's requests per minute" : `${rpm} requests per minute`]),
    ...(tokens ? ["the tier's tokens per minute"] : []),
    ...(tasks === undefined ? [] : [`${tasks} tasks at once`]),
    ...(concurrency ? ["the tier's calls at once"] : [])
  ].join(", ")

const mebibyte = 1024 * 1024

export const sizeOf = (bytes: number): string => (bytes % mebibyte === 0 ? `${bytes / mebibyte} MiB` : `${bytes} bytes`)

const pendingPart = (pending: Pending, bound: Bound | undefined): string => {
  switch (pending.open) {
    case "path":
      return bound === undefined ? "path" : "path (bound here)"
    case "parameter": {
      const name = bound?.parameters[pending.role]
      return `name of the ${pending.role} parameter${name === undefined ? "" : ` (\`${name}\` here)`}`
    }
    case "request":
      return `request ${pending.what}`
    case "response":
      return `response ${pending.what}`
  }
}

export const pendingOf = ({ pending }: Operation, bound: Bound | undefined): string =>
  pending.map((part) => pendingPart(part, bound)).join("; ")

/** Whether a call may be repeated when its outcome is not known. */
export const replays: Readonly<Record<Replay, string>> = {
  free: "Safe to repeat: it costs nothing and changes nothing.",
  billed: "Repeat it only on proof that it did not run, or with the same idempotency key.",
  create: "Never repeat it if its outcome is unknown: it may have run."
}
