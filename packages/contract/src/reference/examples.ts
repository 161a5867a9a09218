import * as Schema from "effect/Schema"
import type { Operation } from "../Operation.ts"
import type { Example, Examples } from "./Example.ts"
import { account } from "./examples/account.ts"
import { contracts } from "./examples/contracts.ts"
import { data } from "./examples/data.ts"
import { models } from "./examples/models.ts"
import { sample } from "./sample.ts"

/** Examples written by hand, with values that mean something to a reader. */
export const written: Examples = { ...account, ...models, ...data, ...contracts }

/** Parameters of an address are text, whatever they are decoded to. */
const sampledText = (schema: Schema.Constraint): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(sample(Schema.toType(schema)) as object).map(([name, value]) => [
      name,
      typeof value === "object" ? JSON.stringify(value) : String(value)
    ])
  )

/** Made from the request's schemas. */
const sampled = ({ request: { body, header, path, query } }: Operation): Example => ({
  ...(path === undefined ? {} : { path: sampledText(path) }),
  ...(query === undefined ? {} : { query: sampledText(query) }),
  ...(header === undefined ? {} : { header: sampledText(header) }),
  ...(body === undefined ? {} : { body: sample(body) })
})

/** Those that are written for an operation. An operator's own id may be a name that every object has. */
export const writtenFor = (id: string): ReadonlyArray<Example> =>
  (Object.hasOwn(written, id) ? written[id] : undefined) ?? []

/** Requests to try an operation with: those that are written for it, or else one made from its description. */
export const examplesOf = (operation: Operation): readonly [Example, ...ReadonlyArray<Example>] =>
  (Object.hasOwn(written, operation.id) ? written[operation.id] : undefined) ?? [sampled(operation)]
