import type { Bound } from "../Operation.ts"
import { isShared } from "../operations/modelGet.ts"
import type { Components } from "./components.ts"

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

const schemesOf = ({ access, family, id }: Bound): ReadonlyArray<Scheme> => {
  if (access === "open") return []
  if (family === "gemini") return ["bearer", "x-goog-api-key", "key"]
  // OpenAI's and Anthropic's SDKs share the model list.
  return family === "anthropic" || isShared(id) ? ["bearer", "x-api-key"] : ["bearer"]
}

/** Where the credential of an operation may stand; one place is enough. */
export const security = (operation: Bound, components: Components) =>
  schemesOf(operation).map((name) => {
    components.securitySchemes[name] ??= schemes[name]
    return { [name]: [] }
  })
