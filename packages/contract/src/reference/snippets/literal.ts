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

const lineOf = (value: unknown): string => {
  if (!isContainer(value)) return scalar(value)
  if (Array.isArray(value)) return `[${value.map(lineOf).join(", ")}]`
  const fields = Object.entries(value).map(([name, part]) => field(name, part, lineOf(part)))
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`
}

/** A value as TypeScript. What fits goes on one line; `before` is how much of that line is taken. */
export const literal = (value: unknown, indent = "", before = indent.length): string => {
  const line = lineOf(value)
  if (!isContainer(value) || before + line.length <= maxWidth) return line
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((part) => literal(part, inner))
    : Object.entries(value).map(([name, part]) =>
        field(name, part, literal(part, inner, inner.length + keyOf(name).length + 2))
      )
  const [open, close] = Array.isArray(value) ? "[]" : "{}"
  return `${open}\n${parts.map((part) => inner + part).join(",\n")}\n${indent}${close}`
}
