import { fill, type Names } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import { isByModel } from "@tollgate/contract/price/Price"
import { conditions, sentUnchanged, serves } from "@tollgate/gateway/operator"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { isProtocol, protocols } from "./upstreams.ts"
import { type Add, didYouMean, formatPath, type Path } from "../text/Problem.ts"
import { ExactModelName, ModelName, optional, WebPath, wholeNumber } from "../text/values.ts"

const target = {
  upstream: Schema.String,
  model: optional(ExactModelName),
  path: optional(WebPath)
}

const Target = Schema.Struct({
  ...target,
  weight: wholeNumber(1_000_000).pipe(Schema.withDecodingDefaultKey(Effect.succeed(1)))
})

const usualConditions = conditions.filter((condition) => condition !== "too_long")

const Fallback = Schema.Struct({
  ...target,
  when: Schema.Array(Schema.Literals(conditions))
    .check(Schema.isMinLength(1, { expected: "at least one condition" }))
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(usualConditions)))
})

/** Which upstreams execute an operation. Operations that the gateway answers itself have no route. */
const Route = (names: Names) =>
  Schema.Struct({
    operation: optional(
      Schema.Literals(
        operations.filter(({ upstream }) => upstream !== "gateway").map(({ id }) => fill(id, names))
      ).annotate({ expected: "the id of an operation that an upstream executes" })
    ),
    model: optional(ModelName),
    to: Schema.Array(Target).check(Schema.isMinLength(1, { expected: "at least one upstream" })),
    fallback: optional(
      Schema.Array(Fallback),
      "Tried in this order, if a call did not run at those of to and one of the conditions in when holds"
    ),
    prefer: optional(Schema.Literals(["cheapest", "fastest"]), "Which of to comes first, instead of by weight"),
    paidAgain: optional(
      Schema.Literals(["never", "once"]),
      "once: a call that may have run is sent once more elsewhere, and you may pay for both"
    ),
    lossy: optional(
      Schema.Literals(["refuse", "skip", "drop"]),
      "What becomes of a call with something that an upstream's protocol cannot express: it is refused, or the next upstream is tried, or it is left out and named in a header"
    )
  })

export const Routes = (names: Names) => Schema.Array(Route(names))
export type Route = ReturnType<typeof Route>["Type"]

/** Models that `GET /v1/models` lists in addition to those of the routes. */
export const Models = Schema.Array(Schema.Struct({ id: ExactModelName, ownedBy: optional(Schema.NonEmptyString) }))

export const unknownUpstream = (name: string, upstreams: ReadonlyArray<string>): string =>
  `there is no such upstream${didYouMean(name, upstreams)}`

/** Why an upstream of this protocol can never answer the operation, and what can. */
const unserved = (id: string, upstream: string, protocol: string, names: Names): string | undefined => {
  const operation = operations.find((operation) => fill(operation.id, names) === id)
  // A protocol that is not known is a problem of its own.
  if (operation === undefined || serves({ protocol }, operation) || !isProtocol(protocol)) return undefined
  const fit = protocols.filter((each) => serves({ protocol: each }, operation))
  const served = operations.filter((other) => other.upstream !== "gateway" && serves({ protocol }, other))
  const others =
    protocol === "mcp"
      ? ", for operations of your own"
      : `, for ${served.map(({ id }) => fill(id, names)).join(" and ")}`
  return (
    `${id} needs an upstream of the protocol ${fit.join(" or ")}, ` +
    `and ${JSON.stringify(upstream)} has the protocol ${protocol}${sentUnchanged.includes(protocol) ? "" : others}`
  )
}

/** Why no operation of models can go to an upstream of this protocol. A protocol that is not known is a problem of its own. */
const unservedByModel = (protocol: string): string | undefined =>
  !isProtocol(protocol) || operations.some((operation) => isByModel(operation.price) && serves({ protocol }, operation))
    ? undefined
    : `an upstream of the protocol ${protocol} executes no operation of models; name the operation of this route`

/** Why a route for every operation of a model cannot be as it is. */
const notOpen = ({ model, operation }: Route): string | undefined =>
  operation === undefined && model === undefined
    ? "a route needs an operation, a model or both; a model alone is for every operation that takes it"
    : undefined

/** `upstreams` are their protocols, by name. */
export const check = (
  routes: ReadonlyArray<Route>,
  upstreams: ReadonlyMap<string, string>,
  names: Names,
  add: Add
): void => {
  const first = new Map<string, number>()
  routes.forEach((written, i) => {
    const { fallback = [], model, operation, to } = written
    const route: Path = ["routes", i]
    const id = `${operation ?? ""} ${model ?? ""}`
    const earlier = first.get(id)
    if (earlier !== undefined) add(route, `the same operation and model as routes[${earlier}]`)
    first.set(id, earlier ?? i)
    add(route, notOpen(written))
    const isCreate = operations.some(({ id, replay }) => fill(id, names) === operation && replay === "create")
    if (written.paidAgain === "once" && isCreate) {
      add([...route, "paidAgain"], `${operation} creates something, and is never sent a second time`)
    }
    if (written.prefer !== undefined && to.length === 1) {
      add([...route, "prefer"], "there is nothing to choose: to has one upstream; those of fallback keep their order")
    }
    const seen = new Map<string, Path>()
    const problemOf = (upstream: string): string | undefined => {
      const protocol = upstreams.get(upstream)
      if (protocol === undefined) return unknownUpstream(upstream, [...upstreams.keys()])
      return operation === undefined ? unservedByModel(protocol) : unserved(operation, upstream, protocol, names)
    }
    for (const [j, target] of [...to, ...fallback].entries()) {
      const { path, upstream } = target
      const at: Path = j >= to.length ? [...route, "fallback", j - to.length] : [...route, "to", j]
      add([...at, "upstream"], problemOf(upstream))
      if (operation === undefined && path !== undefined) {
        add([...at, "path"], "a route without an operation is for several, each with a path of its own")
      }
      const same = JSON.stringify([upstream, target.model ?? model, path])
      const before = seen.get(same)
      if (before !== undefined) {
        add(at, `the same upstream and model as ${formatPath(before)}: a call is sent to each once`)
      }
      seen.set(same, before ?? at)
    }
  })
}
