import { bindingsIn, type Documented } from "@tollgate/client/discovered/inDocument"
import { defaults, fill, Names } from "@tollgate/contract/Names"
import type { Binding, Operation } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import { calls, streams } from "@tollgate/contract/reference/snippets/typed"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { object } from "./text.ts"

/** The operator's names, which the ids and paths of built-in operations contain. */
export const namesIn = (document: unknown): Names =>
  Option.getOrElse(Schema.decodeUnknownOption(Names)(object(document)["x-names"]), () => defaults)

const isSame = (operation: Operation, { description }: Documented, names: Names): boolean =>
  description.method === operation.method &&
  description.replay === operation.replay &&
  (operation.path === undefined || fill(operation.path, names) === description.path)

export const builtInFunctions = (documented: Documented, names: Names): ReadonlyArray<string> | undefined => {
  const operation = operations.find(({ id }) => fill(id, names) === documented.description.id)
  if (operation === undefined || !isSame(operation, documented, names)) return undefined
  return [calls.get(operation.id), streams.get(operation.id)].filter((name) => name !== undefined)
}

/** What a client of this gateway has to be made with, for the functions that are built in. */
interface ClientSettings {
  readonly names?: Names
  readonly bindings?: Readonly<Record<string, Binding>>
}

export const settingsIn = (document: unknown): ClientSettings => {
  const names = namesIn(document)
  const found = bindingsIn(document)
  const pending = operations.filter(({ pending }) =>
    pending.some(({ open }) => open === "path" || open === "parameter")
  )
  const bindings = pending.flatMap((operation): ReadonlyArray<readonly [string, Binding]> => {
    const id = fill(operation.id, names)
    const { parameters = {}, path } = found[id] ?? {}
    const binding: Binding = {
      ...(operation.path === undefined && path !== undefined ? { path } : {}),
      ...(Object.keys(parameters).length === 0 ? {} : { parameters })
    }
    return Object.keys(binding).length === 0 ? [] : [[id, binding]]
  })
  const isDefault = (Object.keys(defaults) as ReadonlyArray<keyof Names>).every(
    (name) => names[name] === defaults[name]
  )
  return {
    ...(isDefault ? {} : { names }),
    ...(bindings.length === 0 ? {} : { bindings: Object.fromEntries(bindings) })
  }
}
