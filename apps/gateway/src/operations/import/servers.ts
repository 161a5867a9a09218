import * as Result from "effect/Result"
import { readFileSync } from "node:fs"
import { baseUrlProblem } from "../../config/text/values.ts"
import { parse } from "../../config/text/jsonc.ts"
import { entriesOf, field, type Fields, fieldsOf, listOf, shown, textOf } from "./values.ts"

/** The addresses of a list of servers, with the default of each variable filled in. */
const addressesOf = (servers: unknown): ReadonlyArray<string> =>
  listOf(servers).flatMap((server) => {
    const url = textOf(field(server, "url"))
    if (url === undefined) return []
    const filled = entriesOf(field(server, "variables")).reduce(
      (text, [name, variable]) => text.replaceAll(`{${name}}`, shown(field(variable, "default") ?? "")),
      url
    )
    return [filled.replace(/\/+$/, "")]
  })

/** The server of the document: the first that it names. */
export const serverOf = (document: unknown): string | undefined => addressesOf(field(document, "servers"))[0]

/** The server, if it is an address that an upstream can have. */
export const usableServer = (server: string | undefined): string | undefined =>
  server !== undefined && baseUrlProblem(server, { private: true, insecure: true }) === undefined ? server : undefined

/** An address of its own that a path or an operation names, if it is not one of the document's. */
export const ownServer = (document: unknown, ...parts: ReadonlyArray<unknown>): string | undefined => {
  const usual = addressesOf(field(document, "servers"))
  for (const part of parts) {
    const own = addressesOf(field(part, "servers"))
    if (own[0] !== undefined) return own.some((address) => usual.includes(address)) ? undefined : own[0]
  }
  return undefined
}

/** What to tell if the document's paths are not under the upstream's address. */
export const serverNote = (server: string | undefined, baseUrl: string | undefined): string | undefined => {
  if (server === undefined || baseUrl === undefined || server === baseUrl.replace(/\/+$/, "")) return undefined
  // A server without a host is relative to where the document was found.
  if (server.startsWith("/") && URL.parse(baseUrl)?.pathname.replace(/\/+$/, "") === server) return undefined
  return `The document's paths are under ${server}; the upstream's baseUrl is ${baseUrl}. Calls go to the baseUrl.`
}

/** The upstreams of a configuration file that may not be complete yet. Missing without a file that can be read. */
export const upstreamsIn = (file: string | undefined): Fields | undefined => {
  if (file === undefined) return undefined
  const parsed = Result.flatMap(
    Result.try(() => readFileSync(file, "utf8")),
    parse
  )
  return Result.isSuccess(parsed) ? (fieldsOf(field(parsed.success.value, "upstreams")) ?? {}) : undefined
}
