export type Json = Readonly<Record<string, unknown>>

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const objectAt = (value: unknown, name: string): Json => {
  const found = isJson(value) ? value[name] : undefined
  return isJson(found) ? found : {}
}

export const listAt = (value: unknown, name: string): ReadonlyArray<unknown> => {
  const found = isJson(value) ? value[name] : undefined
  return Array.isArray(found) ? found : []
}

export const textAt = (value: unknown, name: string): string => {
  const found = isJson(value) ? value[name] : undefined
  return typeof found === "string" ? found : ""
}

/** An operation of a document, and the parameters of the path that led to it. */
export interface Found {
  readonly operation: Json
  readonly path: Readonly<Record<string, string>>
}

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

const expressionOf = (template: string): RegExp =>
  new RegExp(
    `^${template
      .split(/\{[^}]+\}/)
      .map(escape)
      .join("([^/]+?)")}$`
  )

/** An OpenAPI document as a proxy reads it. */
export class Document {
  readonly root: Json
  readonly #paths: ReadonlyArray<{
    readonly expression: RegExp
    readonly names: ReadonlyArray<string>
    readonly item: Json
  }>

  constructor(root: Json) {
    this.root = root
    const fixed = (path: string): number => path.replaceAll(/\{[^}]+\}/g, "").length
    // Literal paths first, as OpenAPI demands, and then those with more fixed text.
    const templates = Object.keys(objectAt(root, "paths")).sort(
      (one, other) => Number(one.includes("{")) - Number(other.includes("{")) || fixed(other) - fixed(one)
    )
    this.#paths = templates.map((template) => ({
      expression: expressionOf(template),
      names: [...template.matchAll(/\{([^}]+)\}/g)].map(([, name = ""]) => name),
      item: objectAt(objectAt(root, "paths"), template)
    }))
  }

  /** Follows a reference into the document. */
  resolve(value: unknown): Json {
    if (!isJson(value)) return {}
    const { $ref } = value
    if (typeof $ref !== "string") return value
    const target = $ref
      .slice(2)
      .split("/")
      .reduce<unknown>(
        (at, name) => (isJson(at) ? at[name.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined),
        this.root
      )
    if (!isJson(target)) throw new Error(`${$ref} leads nowhere`)
    return this.resolve(target)
  }

  /** The operations at a path, by method in lower case. */
  at(path: string): ReadonlyMap<string, Found> | undefined {
    for (const { expression, item, names } of this.#paths) {
      const groups = expression.exec(path)
      if (groups === null) continue
      const values = Object.fromEntries(names.map((name, i) => [name, decodeURIComponent(groups[i + 1] ?? "")]))
      return new Map(
        Object.entries(item).flatMap(([method, operation]) =>
          isJson(operation) ? [[method, { operation, path: values }]] : []
        )
      )
    }
    return undefined
  }

  /** Every operation with its method and path. */
  get operations(): ReadonlyArray<{ readonly method: string; readonly path: string; readonly operation: Json }> {
    return Object.entries(objectAt(this.root, "paths")).flatMap(([path, item]) =>
      Object.entries(item as Json).map(([method, operation]) => ({ method, path, operation: operation as Json }))
    )
  }
}

/** The document that a gateway serves, by the hash that it names. */
export const documentOf = async (baseUrl: string): Promise<Document> => {
  const version: unknown = await (await fetch(`${baseUrl}/api/contracts/version`)).json()
  const hash = textAt(version, "contentHash")
  const source: unknown = await (await fetch(`${baseUrl}/api/contracts/source?hash=${hash}&bundled=1`)).json()
  return new Document(isJson(source) ? source : {})
}
