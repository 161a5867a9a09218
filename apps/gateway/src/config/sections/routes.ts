import { fill, type Names } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { didYouMean, type Path, type Problem } from "../text/Problem.ts"
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
    to: Schema.Array(Target).check(Schema.isMinLength(1, { expected: "at least one upstream" }))
  })

export const Routes = (names: Names) => Schema.Array(Route(names))
export type Route = ReturnType<typeof Route>["Type"]

/** Models that `GET /v1/models` lists in addition to those of the routes. */
export const Models = Schema.Array(
  Schema.Struct({ id: ExactModelName, ownedBy: Schema.optionalKey(Schema.NonEmptyString) })
)

export const unknownUpstream = (name: string, upstreams: ReadonlyArray<string>): string =>
  `there is no such upstream${didYouMean(name, upstreams)}`

export const problemsIn = (routes: ReadonlyArray<Route>, upstreams: ReadonlyArray<string>): ReadonlyArray<Problem> => {
  const problems: Array<Problem> = []
  const first = new Map<string, number>()
  routes.forEach(({ model, operation, to }, i) => {
    const route: Path = ["routes", i]
    const earlier = first.get(`${operation} ${model ?? ""}`)
    if (earlier !== undefined) {
      problems.push({ path: route, message: `the same operation and model as routes[${earlier}]` })
    }
    first.set(`${operation} ${model ?? ""}`, earlier ?? i)
    to.forEach(({ upstream }, j) => {
      if (!upstreams.includes(upstream)) {
        problems.push({ path: [...route, "to", j, "upstream"], message: unknownUpstream(upstream, upstreams) })
      }
    })
  })
  return problems
}
