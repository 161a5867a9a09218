import type { Catalogue } from "../Catalogue.ts"
import { fill } from "../Names.ts"
import type { Operation } from "../Operation.ts"
import { curl, type Find } from "./curl.ts"
import { examplesOf } from "./examples.ts"
import { basis } from "../price/contracts.ts"
import { limitsOf, pendingOf, sizeOf } from "./words.ts"

const base = "http://127.0.0.1:8787"

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const facts = (operation: Operation, catalogue: Catalogue): ReadonlyArray<string> => {
  const bound = catalogue.byId.get(fill(operation.id, catalogue.names))
  const limits = limitsOf(operation.limit)
  const pending = pendingOf(operation, bound)
  const errors = operation.errors.toSorted((one, other) => one - other).join(", ")
  return [
    `Price: ${basis(operation.price)}.`,
    ...(limits === "" ? [] : [`Limits: ${limits}.`]),
    ...(operation.request.body === undefined ? [] : [`Body: up to ${sizeOf(operation.bodyLimit)}.`]),
    `Errors: ${errors}, in the \`${operation.family}\` family.`,
    ...(pending === "" ? [] : [`Not described: ${pending}.`]),
    ...(operation.beyond === true ? ["Not in the original API."] : [])
  ]
}

const section = (operation: Operation, catalogue: Catalogue): string => {
  const find: Find = (template) => {
    const other = catalogue.operations.find(({ id }) => id === template)
    const bound = catalogue.byId.get(fill(template, catalogue.names))
    return bound === undefined || other === undefined ? undefined : [bound, examplesOf(other)[0]]
  }
  const id = fill(operation.id, catalogue.names)
  const bound = catalogue.byId.get(id)
  const calls =
    bound === undefined
      ? []
      : examplesOf(operation).map((example) =>
          [
            ...(example.title === undefined ? [] : [`${example.title}:`]),
            ...(example.note === undefined ? [] : [example.note]),
            `\`\`\`sh\n${curl(base, find, bound, example)}\n\`\`\``
          ].join("\n\n")
        )
  return [
    `#### ${id}`,
    `\`${operation.method} ${bound?.path ?? "…"}\``,
    [operation.summary, operation.description]
      .flatMap((text) => (text === undefined ? [] : [text.replace(/\.?$/, ".")]))
      .join(" "),
    facts(operation, catalogue)
      .map((fact) => `- ${fact}`)
      .join("\n"),
    ...calls
  ].join("\n\n")
}

/** The operations by category in Markdown, each with price, limits, errors and curl commands. */
export const reference = (catalogue: Catalogue): string => {
  const categories = [...new Set(catalogue.operations.map(({ category }) => category))]
  return categories
    .flatMap((category) => [
      `### ${capitalize(category)}`,
      ...catalogue.operations
        .filter((operation) => operation.category === category)
        .map((operation) => section(operation, catalogue))
    ])
    .join("\n\n")
}
