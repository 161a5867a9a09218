import type { Family } from "@tollgate/contract/errors/Family"
import * as Headers from "@tollgate/contract/Headers"
import type { Names } from "@tollgate/contract/Names"
import { isShared } from "@tollgate/contract/operations/modelGet"
import type { Accepted } from "../../exchange/Exchange.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"

/** The family of a path without an operation. The first that matches counts. */
const prefixes: ReadonlyArray<readonly [path: RegExp, family: Family]> = [
  [/^(?:\/v1)*\/(?:messages|complete)(?:\/|$)/, "anthropic"],
  [/^(?:\/\w+)?\/v1(?:alpha|beta)\d?(?:\/|$)|^\/v\w+\/models\/[^/]+:/, "gemini"],
  [/^\/v\d\/|^\/(?:chat|completions|responses|embeddings|models|images|audio|files|rerank)(?:\/|$)/, "openai"],
  [/^\/apis\/v1\/services\/aigc(?:\/|$)/, "task"]
]

const familyByPath = (path: string): Family => prefixes.find(([expression]) => expression.test(path))?.[1] ?? "data"

/** Whether Anthropic's SDK calls an address that it shares with OpenAI's. */
const namesAnthropic = ({ request }: Accepted): boolean => request.headers["anthropic-version"] !== undefined

/** Whether the answer also carries the request id under Anthropic's name. */
export const isAnthropic = (exchange: Accepted, family: Family): boolean =>
  family === "anthropic" || namesAnthropic(exchange)

/** The error family of the operation at this path, or of the path's prefix. Quote mode has one shape for credential errors. */
export const familyOf = (exchange: Accepted, { refusal: { code } }: Refused, names: Names): Family => {
  const { match, path, request } = exchange
  const quoting = request.headers[Headers.costMode.key(names)] !== undefined
  if (quoting && (code === "missing_credential" || code === "invalid_credential")) return "data"
  const operation = match?.operations.get(request.method) ?? match?.operations.values().next().value
  if (namesAnthropic(exchange) && (operation === undefined || isShared(operation.id))) return "anthropic"
  return operation?.family ?? familyByPath(path)
}
