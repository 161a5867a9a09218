import { defaults } from "@tollgate/contract/Names"
import { resolve } from "../../config/operations/resolve.ts"
import { formatPath, type Path } from "../../config/text/Problem.ts"
import type { Imported } from "./imported.ts"
import { pickSchemas, usedSchemas, field, type Fields, shown, textOf } from "./values.ts"

interface Upstream {
  readonly name: string
  readonly protocol: string
}

type Written = Pick<Imported, "operations" | "schemas">

const placeOf = (entry: Fields): Path => {
  const tool = textOf(field(entry.upstream, "tool"))
  if (tool !== undefined) return ["tools", tool.slice(0, 100)]
  const path = textOf(field(entry.upstream, "path")) ?? shown(entry.path)
  return ["paths", path, shown(entry.method).toLowerCase()]
}

const mostReason = 300

/** Why `config check` would refuse entries, by their positions. */
const refusals = ({ operations, schemas }: Written, { name, protocol }: Upstream): ReadonlyMap<number, string> => {
  const around = { names: defaults, bindings: {}, upstreams: new Map([[name, protocol]]) }
  const found = new Map<number, string>()
  const bad = new Map<string, string>()
  for (const { problems } of resolve({ operations, schemas }, new Map(), around).problems) {
    for (const { message, path } of problems) {
      const [section, key, ...rest] = path
      const reason = `${formatPath(section === "operations" ? rest : path)}: ${message}`.slice(0, mostReason)
      if (section === "operations" && typeof key === "number") found.set(key, found.get(key) ?? reason)
      else bad.set(String(key), bad.get(String(key)) ?? reason)
    }
  }
  if (bad.size === 0) return found
  for (const [i, entry] of operations.entries()) {
    const name = [...usedSchemas([entry], schemas)].find((name) => bad.has(name))
    const reason = name === undefined ? undefined : bad.get(name)
    if (reason !== undefined) found.set(i, found.get(i) ?? reason)
  }
  return found
}

/** Leaves out what the configuration would refuse, so that one entry does not keep the others from being sold. */
export const withoutRefused = (imported: Imported, upstream: Upstream): Imported => {
  const refused = refusals(imported, upstream)
  if (refused.size === 0) return imported
  for (const [i, reason] of refused) {
    const entry = imported.operations[i]
    if (entry !== undefined) imported.findings.skip(placeOf(entry), `the configuration would refuse it: ${reason}`)
  }
  const operations = imported.operations.filter((_, i) => !refused.has(i))
  const used = usedSchemas(operations, imported.schemas)
  return { ...imported, operations, schemas: pickSchemas(imported.schemas, (name) => used.has(name)) }
}
