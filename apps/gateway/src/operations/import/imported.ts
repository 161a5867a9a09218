import { shapeOf } from "../../config/operations/paths.ts"
import { idOf, uniqueIn, pathsOf } from "./names.ts"
import * as Findings from "./Findings.ts"
import { isChosen, type Options } from "./Options.ts"
import { type Source, tagsOf, writeOperation } from "./operation.ts"
import { references } from "./References.ts"
import { schemaWriter } from "./Schemas.ts"
import { serverOf } from "./servers.ts"
import { pickSchemas, usedSchemas, entriesOf, field, type Fields, fieldsOf, textOf } from "./values.ts"

export interface Imported {
  readonly title: string
  readonly format: "OpenAPI" | "MCP"
  readonly version: string
  readonly server: string | undefined
  readonly security: ReadonlyArray<string>
  readonly operations: ReadonlyArray<Fields>
  readonly schemas: Fields
  /** How many operations the document has, and how many of them were chosen. */
  readonly total: number
  readonly chosen: number
  /** Every operation of the document, as `keyOf` names it, chosen or not. */
  readonly keys: ReadonlySet<string>
  readonly findings: Findings.Findings
}

const methods = ["get", "post", "put", "patch", "delete"]
const others: Readonly<Record<string, string>> = {
  head: "the gateway answers HEAD where it answers GET",
  options: "the gateway does not carry OPTIONS",
  trace: "the gateway does not carry TRACE",
  query: "the gateway does not carry QUERY",
  additionalOperations: "the gateway carries no methods of other names"
}

/** How an operation of a file is found in the document again, also if its id was changed by hand. */
export const keyOf = (method: string, path: string): string => `${method} ${path}`

/** How an operation is found again that is a tool of an MCP server. */
export const keyOfTool = (tool: string): string => `tool ${tool}`

/** Reads every operation of an OpenAPI document, of version 3.0, 3.1 or 3.2. */
export const importDocument = (document: Fields, options: Options): Imported => {
  const version = textOf(document.openapi) ?? ""
  const findings = Findings.make()
  const refs = references(document)
  const schemas = schemaWriter(refs, version.startsWith("3.0"), findings)
  const context = { findings, references: refs, schemas }
  const ids = new Set<string>()
  const shapes = new Map<string, string>()
  const sources: Array<Source> = []

  for (const [path, written] of entriesOf(document.paths)) {
    if (!path.startsWith("/")) {
      if (!path.startsWith("x-")) findings.skip(["paths", path], "is not a path: it does not begin with /")
      continue
    }
    const target = refs.resolve(written, ["paths", path])
    if ("problem" in target) {
      findings.skip(["paths", path], `the path ${target.problem}`)
      continue
    }
    for (const [name, operation] of entriesOf(target.value)) {
      const at = [...target.path, name]
      const reason = Object.hasOwn(others, name) ? others[name] : undefined
      if (reason !== undefined) findings.skip(at, reason)
      if (!methods.includes(name)) continue
      if (fieldsOf(operation) === undefined) {
        findings.skip(at, "is not an operation")
        continue
      }
      const id = uniqueIn(
        ids,
        idOf({
          prefix: options.prefix,
          tag: tagsOf(operation)[0],
          operationId: textOf(field(operation, "operationId")),
          method: name,
          path
        })
      )
      sources.push({ id, method: name.toUpperCase(), path, item: target.value, operation, itemAt: target.path, at })
    }
  }

  const chosen = sources.filter((source) => isChosen(options.only, { ...source, tags: tagsOf(source.operation) }))
  const operations = chosen.flatMap((source) => {
    const entry = writeOperation(context, document, source, options)
    if (entry === undefined) return []
    const shape = `${source.method} ${shapeOf(String(entry.path))}`
    const other = shapes.get(shape)
    if (other !== undefined) {
      findings.skip(source.at, `answers to the same calls as ${other}`)
      return []
    }
    shapes.set(shape, `${source.method} ${source.path}`)
    return [entry]
  })
  // What is left out may have referred to more.
  const all = schemas.named()
  const used = usedSchemas(operations, all)
  for (const name of ["webhooks", "x-webhooks"]) {
    const count = entriesOf(document[name]).length
    if (count > 0) findings.part([name], `${count} webhooks are not operations: left out`)
  }
  return {
    title: textOf(field(document.info, "title")) ?? "untitled",
    format: "OpenAPI",
    version,
    server: serverOf(document),
    security: entriesOf(field(document.components, "securitySchemes")).map(([name]) => name),
    operations,
    schemas: pickSchemas(all, (name) => used.has(name)),
    total: sources.length,
    chosen: chosen.length,
    keys: new Set(sources.map(({ method, path }) => keyOf(method, pathsOf(path, options.prefix)?.upstream ?? path))),
    findings
  }
}
