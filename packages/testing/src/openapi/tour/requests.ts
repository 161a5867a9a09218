import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults, fill } from "@tollgate/contract/Names"
import type { Bound } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import { type Example, withSamples } from "@tollgate/contract/reference/Example"
import { examplesOf } from "@tollgate/contract/reference/examples"
import { Description } from "@tollgate/sandbox"
import type { Call, Caller } from "../Caller.ts"

/** A call of an operation that succeeds in the sandbox, if its variables have real values. */
export interface Request {
  readonly operation: Bound
  readonly example: Example
  readonly call: Call
}

/** Who calls an operation. One that few calls per minute are allowed of needs a new key for each call. */
export type CallerOf = (operation: Bound) => Promise<Caller>

const bindings = Object.fromEntries(Object.entries(Description.paths).map(([id, path]) => [id, { path }]))
const catalogue = Catalogue.make(operations, defaults, bindings)

const callOf = (operation: Bound, example: Example, values: Readonly<Record<string, string>>): Call => {
  const value = (text: string) => encodeURIComponent(values[text.slice(1)] ?? withSamples(example, text))
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => value(example.path?.[name] ?? ""))
  const query = Object.entries(example.query ?? {}).map(([name, text]) => `${name}=${value(text)}`)
  return {
    method: operation.method,
    path: path + (query.length === 0 ? "" : `?${query.join("&")}`),
    headers: { ...operation.request.headers, ...example.headers },
    ...(example.body === undefined ? {} : { body: example.body })
  }
}

/** Every example of every operation. `values` replaces variables. */
export const requests = (values: Readonly<Record<string, string>> = {}): ReadonlyArray<Request> =>
  operations.flatMap((described) => {
    const operation = catalogue.byId.get(fill(described.id, defaults))
    return operation === undefined
      ? []
      : examplesOf(described).map((example) => ({ operation, example, call: callOf(operation, example, values) }))
  })

/** The first example of each operation. */
export const firstRequests = (values?: Readonly<Record<string, string>>): ReadonlyArray<Request> => {
  const seen = new Set<string>()
  return requests(values).filter(({ operation: { id } }) => seen.size !== seen.add(id).size)
}
