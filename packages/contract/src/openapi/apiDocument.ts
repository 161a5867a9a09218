import * as Schema from "effect/Schema"
import { type Api, type ApiRoute, type OpenApiDocument, parametersOf, type RouteExample } from "../Api.ts"
import { errorFamilies } from "../errors/families.ts"
import * as Headers from "../Headers.ts"
import { Components } from "./components.ts"
import { beginning } from "./OpenApi.ts"

const json = "application/json"
const text = { type: "string" }
const seconds = { type: "integer", minimum: 0 }

const reasons = {
  400: "The request is not valid",
  401: "No credential, or an unknown one",
  403: "The credential does not allow it",
  404: "There is no such path here, or nothing with this id",
  405: "The path has other methods",
  409: "It contradicts what was booked or ended before",
  413: "The body is too large",
  429: "Too many requests; wait for Retry-After",
  500: "An internal error of the gateway",
  503: "The store is not available; nothing was changed"
} as const

type Status = keyof typeof reasons

const statusesOf = ({ body, conflicts, isOpen }: ApiRoute): ReadonlyArray<Status> => {
  return [
    400,
    ...(isOpen === true ? [] : ([401, 403] as const)),
    404,
    405,
    ...(conflicts === true ? ([409] as const) : []),
    ...(body === undefined ? [] : ([413] as const)),
    ...(isOpen === true ? [] : ([429] as const)),
    500,
    503
  ]
}

const header = (description: string, schema: object, required = false) => ({
  description,
  schema,
  ...(required ? { required } : {})
})

const requestId = { [Headers.requestId]: header("Names the request, for questions to the operator.", text, true) }

const refusalHeaders = (status: Status): object => ({
  ...requestId,
  [Headers.shouldRetry]: header("`false`: do not repeat the request by itself.", text),
  ...(status === 401 || status === 403 ? { "WWW-Authenticate": header("What the credential lacks.", text) } : {}),
  ...(status === 405 ? { Allow: header("The methods that the path has.", text, true) } : {}),
  ...(status === 429 || status === 503 ? { "Retry-After": header("Seconds to wait.", seconds) } : {})
})

const refusal = (status: Status, components: Components) =>
  components.refer("responses", String(status), () => ({
    description: reasons[status],
    headers: refusalHeaders(status),
    content: {
      [json]: { schema: components.refer("schemas", "Error", () => components.add(errorFamilies.data.shape)) }
    }
  }))

const parametersIn = ({ example, path, query }: ApiRoute, components: Components): ReadonlyArray<object> => [
  ...parametersOf(path).map((name) => ({
    name,
    in: "path",
    required: true,
    schema: text,
    example: example.path?.[name]
  })),
  ...(query === undefined ? [] : components.fields(Schema.toType(query))).map(({ name, required, schema }) => ({
    name,
    in: "query",
    required,
    schema
  }))
]

/** An unknown field is refused, and a missing body is one without fields. */
const bodyOf = (body: Schema.Constraint, { body: example = {} }: RouteExample, components: Components): object => ({
  content: { [json]: { schema: Object.assign({}, components.add(body), { additionalProperties: false }), example } }
})

const operationOf = (group: string, name: string, route: ApiRoute, components: Components) => {
  const { body, description, example, isOpen, role, scope, status = 200, success, summary, type = json } = route
  return {
    operationId: name,
    tags: [group],
    summary,
    ...(description === undefined ? {} : { description }),
    security: isOpen === true ? [] : [{ bearer: [] }],
    ...(scope === undefined ? {} : { "x-scope": scope }),
    ...(role === undefined ? {} : { "x-roles": ["owner", ...role] }),
    parameters: parametersIn(route, components),
    ...(body === undefined ? {} : { requestBody: bodyOf(body, example, components) }),
    responses: {
      [status]: {
        description: "Success",
        headers: requestId,
        content: { [type]: { schema: components.add(success) } }
      },
      ...Object.fromEntries(statusesOf(route).map((status) => [status, refusal(status, components)]))
    }
  }
}

/** The OpenAPI 3.0.3 document of an API of the gateway itself, without the groups that this gateway lacks. */
export const apiDocument = (api: Api, absent: ReadonlySet<string> = new Set()): OpenApiDocument => {
  const components = new Components()
  components.securitySchemes["bearer"] = { type: "http", scheme: "bearer", description: api.credential }
  const groups = Object.entries(api.groups).filter(([group]) => !absent.has(group))
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [group, routes] of groups) {
    for (const [name, route] of Object.entries(routes)) {
      const item = (paths[api.prefix + route.path] ??= {})
      item[route.method.toLowerCase()] = operationOf(group, name, route, components)
    }
  }
  return {
    ...beginning(api.title, api.description),
    tags: groups.map(([name]) => ({ name })),
    paths,
    components: { ...components }
  }
}
