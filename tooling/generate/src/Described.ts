import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Operation } from "@tollgate/contract/Operation"
import { type Expression, parseSync, type TSTypeName } from "oxc-parser"
import { root } from "../../release/src/program.ts"

/** An operation as its file describes it. */
export interface Described {
  /** That of the file and of its export, and so of the client's function. */
  readonly name: string
  readonly operation: Operation
  /** The comment on it. */
  readonly note?: string | undefined
  /** The contract's types of an answer and of an event. Missing if the schema is written in place. */
  readonly success?: string | undefined
  readonly event?: string | undefined
}

const folder = "packages/contract/src/operations"

/** The names that a file imports from the contract. */
const importsOf = (file: string, text: string): ReadonlySet<string> =>
  new Set(
    parseSync(file, text).module.staticImports.flatMap(({ entries, moduleRequest: { value } }) =>
      value.startsWith("../") ? entries.map(({ localName }) => localName.value) : []
    )
  )

const identifierOf = (name: TSTypeName): string | undefined => (name.type === "Identifier" ? name.name : undefined)

/** The type that a schema is named after: `VideoTask`, or `Typed<ChatCompletion>()`. */
const typeNameOf = (schema: Expression): string | undefined => {
  if (schema.type === "Identifier") return schema.name
  const [type] = schema.type === "CallExpression" ? (schema.typeArguments?.params ?? []) : []
  return type?.type === "TSTypeReference" ? identifierOf(type.typeName) : undefined
}

/** The fields of the object that `Operation.make` gets. */
const fieldsOf = (file: string, text: string, name: string): ReadonlyMap<string, Expression> => {
  for (const statement of parseSync(file, text).program.body) {
    if (statement.type !== "ExportNamedDeclaration" || statement.declaration?.type !== "VariableDeclaration") continue
    for (const { id, init } of statement.declaration.declarations) {
      if (id.type !== "Identifier" || id.name !== name || init?.type !== "CallExpression") continue
      const [made] = init.arguments
      if (made?.type !== "ObjectExpression") continue
      return new Map(
        made.properties.flatMap((property) =>
          property.type === "Property" && property.key.type === "Identifier"
            ? [[property.key.name, property.value]]
            : []
        )
      )
    }
  }
  throw new Error(`${file}: has no \`export const ${name} = Operation.make({ … })\`. A file here is one operation.`)
}

/** The comment before the export. */
const noteOf = (file: string, text: string, name: string): string | undefined => {
  const before = text.slice(0, text.indexOf(`export const ${name} `)).trimEnd()
  const comment = parseSync(file, text).comments.find(({ end, type }) => type === "Block" && end === before.length)
  return comment?.value.replace(/^\*|\n \*(?= )/g, "").trim()
}

const describe = async (name: string): Promise<Described> => {
  const file = `${folder}/${name}.ts`
  const text = readFileSync(join(root, file), "utf8")
  const fields = fieldsOf(file, text, name)
  const imports = importsOf(file, text)
  const typeOf = (field: "success" | "event"): string | undefined => {
    const schema = fields.get(field)
    const type = schema === undefined ? undefined : typeNameOf(schema)
    return type !== undefined && imports.has(type) ? type : undefined
  }
  const exported = (await import(pathToFileURL(join(root, file)).href)) as Readonly<Record<string, unknown>>
  const { description, summary } = exported as { readonly summary?: string; readonly description?: string }
  if (summary === undefined) throw new Error(`${file}: it exports no \`summary\`.`)
  const about = description === undefined ? { summary } : { summary, description }
  const operation = { ...(exported[name] as Operation), ...about }
  const client = operation.client === false ? {} : (operation.client ?? {})
  if ((operation.event === undefined) !== (client.stream === undefined))
    throw new Error(`${file}: \`event\` and \`client.stream\` go together: the schema of its events, and their format.`)
  return { name, operation, note: noteOf(file, text, name), success: typeOf("success"), event: typeOf("event") }
}

/** The operations of the contract, by name. */
export const described: ReadonlyArray<Described> = await Promise.all(
  readdirSync(join(root, folder))
    .toSorted()
    .map((file) => describe(file.replace(/\.ts$/, "")))
)
