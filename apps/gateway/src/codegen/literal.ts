import { isJson } from "./Json.ts"
import { fieldName, quoted } from "./text.ts"

/** A name in an object literal. `__proto__` without brackets would set the prototype. */
const keyOf = (name: string): string => (name === "__proto__" ? '["__proto__"]' : fieldName(name))

const width = 110

/** Plain data as an expression. */
export const literal = (value: unknown, indent = ""): string => {
  if (typeof value === "string") return quoted(value)
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, indent)).join(", ")}]`
  if (!isJson(value)) return JSON.stringify(value) ?? "undefined"
  const fields = Object.entries(value).map(([name, item]) => `${keyOf(name)}: ${literal(item, `${indent}  `)}`)
  const line = `{ ${fields.join(", ")} }`
  return fields.length <= 4 && line.length + indent.length <= width && !line.includes("\n")
    ? line
    : fieldLines(value, indent)
}

/** The same with one field on each line. */
export const fieldLines = (value: object, indent = ""): string => {
  const fields = Object.entries(value).map(
    ([name, item]) => `\n${indent}  ${keyOf(name)}: ${literal(item, `${indent}  `)}`
  )
  return `{${fields.join(",")}\n${indent}}`
}

/** Names in a list, as many on a line as fit. */
export const nameLines = (names: ReadonlyArray<string>): string => {
  const lines: Array<string> = []
  let line = ""
  for (const [i, name] of names.entries()) {
    const next = i === names.length - 1 ? name : `${name},`
    if (line !== "" && line.length + next.length > width) {
      lines.push(line)
      line = next
    } else line = line === "" ? next : `${line} ${next}`
  }
  const all = [...lines, line]
  return all.length === 1 ? `{ ${line} }` : `{\n${all.map((text) => `  ${text}`).join("\n")}\n}`
}
