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
