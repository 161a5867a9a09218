import { fill, type Names } from "@tollgate/contract/Names"
import type { Operation } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import { isByModel } from "@tollgate/contract/price/Price"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { shapeFor } from "@tollgate/gateway/operator"
import { isProtocol } from "./upstreams.ts"
import { type Add, didYouMean, type Path } from "../text/Problem.ts"
import { ExactModelName, ModelName, WebPath, wholeNumber } from "../text/values.ts"

const Target = Schema.Struct({
  upstream: Schema.String,
  model: Schema.optionalKey(ExactModelName),
  weight: wholeNumber(1_000_000).pipe(Schema.withDecodingDefaultKey(Effect.succeed(1))),
  path: Schema.optionalKey(WebPath)
})

/** Which upstreams execute an operation. Operations that the gateway answers itself have no route. */
const Route = (names: Names) =>
  Schema.Struct({
    operation: Schema.Literals(
      operations.filter(({ upstream }) => upstream !== "gateway").map(({ id }) => fill(id, names))
    ).annotate({ expected: "the id of an operation that an upstream executes" }),
    model: Schema.optionalKey(ModelName),
    to: Schema.Array(Target).check(Schema.isMinLength(1, { expected: "at least one upstream" })),
    lossy: Schema.optionalKey(
      Schema.Literals(["refuse", "skip", "drop"]).annotate({
        description:
          "What becomes of a call with something that an upstream's protocol cannot express: it is refused, or the next upstream is tried, or it is left out and named in a header"
      })
    )
  })

export const Routes = (names: Names) => Schema.Array(Route(names))
export type Route = ReturnType<typeof Route>["Type"]

/** Models that `GET /v1/models` lists in addition to those of the routes. */
export const Models = Schema.Array(
  Schema.Struct({ id: ExactModelName, ownedBy: Schema.optionalKey(Schema.NonEmptyString) })
)

export const unknownUpstream = (name: string, upstreams: ReadonlyArray<string>): string =>
  `there is no such upstream${didYouMean(name, upstreams)}`

const sentUnchanged = ["openai", "json", "task"]

/** The protocols in which an upstream can execute an operation. Requests and answers of models are not translated. */
const protocolsFor = ({ family, price }: Operation): ReadonlyArray<string> =>
  isByModel(price) || family === "anthropic" || family === "gemini" ? [family] : sentUnchanged

/** Why an upstream of this protocol can never answer the operation, and what can. */
const unserved = (id: string, upstream: string, protocol: string, names: Names): string | undefined => {
  const operation = operations.find((operation) => fill(operation.id, names) === id)
  const protocols = operation && protocolsFor(operation)
  // A protocol that is not known is a problem of its own.
  if (protocols === undefined || protocols.includes(protocol) || !isProtocol(protocol)) return undefined
  if (shapeFor({ protocol }, id) !== undefined) return undefined
  const served = operations.filter((other) => other.upstream !== "gateway" && protocolsFor(other).includes(protocol))
  const others =
    protocol === "mcp"
      ? ", for operations of your own"
      : `, for ${served.map(({ id }) => fill(id, names)).join(" and ")}`
  return (
    `${id} needs an upstream of the protocol ${protocols.join(" or ")}: requests are not translated, ` +
    `and ${JSON.stringify(upstream)} has the protocol ${protocol}${sentUnchanged.includes(protocol) ? "" : others}`
  )
}

/** `upstreams` are their protocols, by name. */
export const check = (
  routes: ReadonlyArray<Route>,
  upstreams: ReadonlyMap<string, string>,
  names: Names,
  add: Add
): void => {
  const first = new Map<string, number>()
  routes.forEach(({ model, operation, to }, i) => {
    const route: Path = ["routes", i]
    const earlier = first.get(`${operation} ${model ?? ""}`)
    if (earlier !== undefined) add(route, `the same operation and model as routes[${earlier}]`)
    first.set(`${operation} ${model ?? ""}`, earlier ?? i)
    to.forEach(({ upstream }, j) => {
      const protocol = upstreams.get(upstream)
      const message =
        protocol === undefined
          ? unknownUpstream(upstream, [...upstreams.keys()])
          : unserved(operation, upstream, protocol, names)
      add([...route, "to", j, "upstream"], message)
    })
  })
}
