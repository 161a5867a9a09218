const maxWidth = 80

/** The name of a variable in place of a value. */
export class Variable {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

const isContainer = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !(value instanceof Variable)

const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

const scalar = (value: unknown): string => (value instanceof Variable ? value.name : (JSON.stringify(value) ?? "null"))

const field = (name: string, value: unknown, text: string): string =>
  value instanceof Variable && value.name === name ? name : `${keyOf(name)}: ${text}`

/** The value on one line. `undefined` as soon as that has more than `room` characters, or a little later. */
const lineOf = (value: unknown, room: number): string | undefined => {
  if (!isContainer(value)) return scalar(value)
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

/** A value as TypeScript. What fits goes on one line; `before` is how much of that line is taken. */
export const literal = (value: unknown, indent = "", before = indent.length): string => {
  if (!isContainer(value)) return scalar(value)
  const line = lineOf(value, maxWidth - before)
  if (line !== undefined && before + line.length <= maxWidth) return line
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((part) => literal(part, inner))
    : Object.entries(value).map(([name, part]) =>
        field(name, part, literal(part, inner, inner.length + keyOf(name).length + 2))
      )
  const [open, close] = Array.isArray(value) ? "[]" : "{}"
  return `${open}\n${parts.map((part) => inner + part).join(",\n")}\n${indent}${close}`
}
