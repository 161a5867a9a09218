import { errorFamilies } from "../errors/families.ts"
import type { Bound } from "../Operation.ts"
import type { Components } from "./components.ts"
import { familiesAt } from "./familiesAt.ts"

const key = "An API key, as the official SDKs send it."

const schemes = {
  bearer: { type: "http", scheme: "bearer", description: "An API key or an OAuth access token." },
  "x-api-key": { type: "apiKey", in: "header", name: "x-api-key", description: key },
  "x-goog-api-key": { type: "apiKey", in: "header", name: "x-goog-api-key", description: key },
  key: {
    type: "apiKey",
    in: "query",
    name: "key",
    description: `${key} Other places are safer: addresses are often logged.`
  }
}

type Scheme = keyof typeof schemes

const schemesOf = (operation: Bound): ReadonlyArray<Scheme> => {
  if (operation.access === "open") return []
  const own = familiesAt(operation).flatMap((name) => {
    const { keyHeader, keyParameter } = errorFamilies[name]
    return [keyHeader, keyParameter].filter((place) => place !== undefined)
  })
  return ["bearer", ...own]
}

/** Where the credential of an operation may stand; one place is enough. */
export const security = (operation: Bound, components: Components) =>
  schemesOf(operation).map((name) => {
    components.securitySchemes[name] ??= schemes[name]
    return { [name]: [] }
  })
