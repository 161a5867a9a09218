import { type Described, described } from "./Described.ts"
import { formatted, type Generated } from "./Generated.ts"

const file = "packages/contract/src/operations.ts"

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
        'import type { Operation } from "./Operation.ts"',
        ...described.map(({ name }) => `import * as ${name} from "./operations/${name}.ts"`),
        "",
        "const modules = {",
        inOrder(text)
          .map(({ name }) => name)
          .join(",\n"),
        "}",
        "",
        "/** The name that an operation has in programs. */",
        "export type OperationName = keyof typeof modules",
        "",
        "interface Module {",
        "readonly summary: string",
        "readonly description?: string",
        "readonly [name: string]: unknown",
        "}",
        "",
        "const described = ([name, module]: readonly [string, Module]): readonly [string, Operation] => {",
        "const { description, summary } = module",
        "const about = description === undefined ? { summary } : { summary, description }",
        "return [name, { ...(module[name] as Operation), ...about }]",
        "}",
        "",
        "/** Every operation of the interface by its name, with its summary and description, in the order of the reference. */",
        "export const named = Object.fromEntries(Object.entries(modules).map(described)) as Readonly<Record<OperationName, Operation>>",
        "",
        "export const operations: ReadonlyArray<Operation> = Object.values(named)",
        "",
        "/** What is known of operations by their names, by their ids instead, which are templates. */",
        "export const byId = <A>(byName: Readonly<Partial<Record<OperationName, A>>>): Readonly<Record<string, A>> =>",
        "Object.fromEntries(Object.entries(byName).map(([name, known]) => [named[name as OperationName].id, known as A]))"
      ].join("\n")
    )
}
