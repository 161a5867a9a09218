import { type Described, described } from "./Described.ts"
import { formatted, type Generated } from "./Generated.ts"

const file = "packages/contract/src/generated/modules.ts"

/** Those that are listed keep their order. A new one comes behind the others of its category. */
const inOrder = (text: string): ReadonlyArray<Described> => {
  const [, list = ""] = /\bmodules = \{(.*?)\n\}/s.exec(text) ?? []
  const listed = [...list.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name)
  const ordered = described
    .filter(({ name }) => listed.includes(name))
    .toSorted((a, b) => listed.indexOf(a.name) - listed.indexOf(b.name))
  for (const added of described.filter(({ name }) => !listed.includes(name))) {
    const last = ordered.findLastIndex(({ operation: { category } }) => category === added.operation.category)
    ordered.splice(last === -1 ? ordered.length : last + 1, 0, added)
  }
  return ordered
}

/** The list of operations. */
export const operations: Generated = {
  file,
  make: async (text) =>
    formatted(
      file,
      [
        "// `pnpm generate` writes this file from those in `operations/`. Only the order of `modules` is kept as you change it.",
        "",
        ...described.map(({ name }) => `import * as ${name} from "../operations/${name}.ts"`),
        "",
        "export const modules = {",
        inOrder(text)
          .map(({ name }) => name)
          .join(",\n"),
        "}"
      ].join("\n")
    )
}
