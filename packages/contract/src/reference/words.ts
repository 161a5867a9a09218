import type { Bound, Operation, Pending, Replay } from "../Operation.ts"
import type { LimitGroup } from "../limits.ts"

const maxWidth = 80

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null

const lineOf = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(lineOf).join(", ")}]`
  if (!isContainer(value)) return JSON.stringify(value)
  const parts = Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}: ${lineOf(part)}`)
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`
}

/** Formats JSON for people: what fits goes on one line. */
export const layout = (value: unknown, indent = ""): string => {
  const line = lineOf(value)
  if (!isContainer(value) || indent.length + line.length <= maxWidth) return line
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((part) => layout(part, inner))
    : Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}: ${layout(part, inner)}`)
  const [open, close] = Array.isArray(value) ? "[]" : "{}"
  return `${open}\n${parts.map((part) => inner + part).join(",\n")}\n${indent}${close}`
}

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
