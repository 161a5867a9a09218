import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { accountApi } from "../src/account/accountApi.ts"
import { adminApi } from "../src/admin/adminApi.ts"
import { type Api, type ApiRoute, parametersOf } from "../src/Api.ts"

const routesOf = (api: Api) =>
  Object.values(api.groups).flatMap((routes) =>
    Object.entries(routes).map(([name, route]) => [`${api.name}.${name}`, route] as const)
  )

const all = [accountApi, adminApi].flatMap(routesOf)

const problemIn = (schema: ApiRoute["body"], value: unknown): string | undefined => {
  if (schema === undefined) return value === undefined ? undefined : "The route takes nothing there."
  const decode = Schema.decodeUnknownResult(schema as Schema.ConstraintDecoder<unknown>)
  const decoded = decode(value ?? {}, { onExcessProperty: "error" })
  return Result.isFailure(decoded) ? decoded.failure.message : undefined
}

describe("a route of the gateway's own APIs", () => {
  it.each(all)("%s says in one line what it is for", (_, { description, summary }) => {
    expect(summary).toMatch(/^[A-Z][^\n|]{5,119}[^.\n]$/)
    if (description !== undefined) expect(description).toMatch(/\.$/)
  })

  it.each(all)("%s has an example that it accepts", (_, { body, example, path, query }) => {
    expect(Object.keys(example.path ?? {})).toEqual(parametersOf(path))
    expect(problemIn(query, example.query)).toBeUndefined()
    expect(problemIn(body, example.body)).toBeUndefined()
  })

  it.each([accountApi, adminApi])("has a name and an address of its own in the $name API", (api) => {
    const names = routesOf(api).map(([name]) => name)
    expect(new Set(names).size).toBe(names.length)
    const addresses = routesOf(api).map(([, { method, path }]) => `${method} ${path}`)
    expect(new Set(addresses).size).toBe(addresses.length)
  })
})
