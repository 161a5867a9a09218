import * as Schema from "effect/Schema"
import type { Operation } from "../Operation.ts"
import type { Example, Examples } from "./Example.ts"
import { account } from "./examples/account.ts"
import { contracts } from "./examples/contracts.ts"
import { data } from "./examples/data.ts"
import { models } from "./examples/models.ts"
import { video } from "./examples/video.ts"
import { sample } from "./sample.ts"

/** Examples written by hand, with values that mean something to a reader. */
export const written: Examples = { ...account, ...models, ...data, ...video, ...contracts }

/** Parameters of an address are text, whatever they are decoded to. */
const sampledText = (schema: Schema.Constraint): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(sample(Schema.toType(schema)) as object).map(([name, value]) => [name, String(value)])
  )

/** Made from the request's schemas. */
const sampled = ({ request: { body, path, query } }: Operation): Example => ({
  ...(path === undefined ? {} : { path: sampledText(path) }),
  ...(query === undefined ? {} : { query: sampledText(query) }),
  ...(body === undefined ? {} : { body: sample(body) })
})

/** Requests to try an operation with: those that are written for it, or else one made from its description. */
export const examplesOf = (operation: Operation): readonly [Example, ...ReadonlyArray<Example>] =>
  written[operation.id] ?? [sampled(operation)]
