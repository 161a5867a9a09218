import { attempt } from "@tollgate/contract/attempt"
import type { Carrier } from "@tollgate/contract/carrier/Carrier"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Clock from "effect/Clock"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { unusedClientMillis } from "./Adapter.ts"
import { oauthError } from "./endpoints.ts"
import type { Storage } from "./Storage.ts"

/** What is wrong with a client's description of itself. */
export interface Invalid {
  readonly error: "invalid_redirect_uri" | "invalid_client_metadata"
  readonly description: string
}

type Metadata = Readonly<Record<string, unknown>>

/** What a client may say of itself. The rest is ignored: it would only let a stranger configure this server. */
const known = [
  "client_id",
  "client_name",
  "client_uri",
  "logo_uri",
  "tos_uri",
  "policy_uri",
  "redirect_uris",
  "grant_types",
  "response_types",
  "token_endpoint_auth_method",
  "application_type",
  "software_id",
  "software_version",
  "contacts"
]

const maxRedirectUris = 20
const maxText = 2_000
const maxName = 200

/** Schemes of programs that register without a reverse domain name, which RFC 8252 asks for. */
const knownSchemes = new Set([
  "cursor:",
  "vscode:",
  "vscode-insiders:",
  "windsurf:",
  "claude:",
  "zed:",
  "raycast:",
  "goose:"
])
const loopback = new Set(["127.0.0.1", "[::1]", "localhost"])

const isLoopback = (url: URL): boolean => url.protocol === "http:" && loopback.has(url.hostname)
const isWeb = (url: URL): boolean => url.protocol === "https:" && url.hostname !== ""
const isOwnScheme = ({ protocol }: URL): boolean =>
  /^[a-z][a-z\d+-]*(?:\.[a-z\d+-]+)+:$/.test(protocol) || knownSchemes.has(protocol)

/** `https`, `http` on this machine, or a program's own scheme. */
const parseRedirect = (uri: unknown): URL | undefined => {
  if (typeof uri !== "string" || uri.length > maxText || /[\s\\#*]/.test(uri)) return undefined
  const url = URL.parse(uri)
  if (url === null || url.username !== "" || url.password !== "") return undefined
  return isWeb(url) || isLoopback(url) || isOwnScheme(url) ? url : undefined
}

const invalid = (error: Invalid["error"], description: string) => Result.fail<Invalid>({ error, description })

const isRecord = (value: unknown): value is Metadata =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** `Infinity`: it is too deep. */
const lengthOf = (field: unknown): number => attempt(() => JSON.stringify(field).length) ?? Infinity

/**
 * Checks what a client says of itself, in a registration or in its metadata document. A client with a redirect to this
 * machine or to its own scheme is a native one: its port may vary (RFC 8252).
 */
export const clientMetadata = (value: unknown): Result.Result<Metadata, Invalid> => {
  if (!isRecord(value)) return invalid("invalid_client_metadata", "the body must be a JSON object")
  const uris = value.redirect_uris
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > maxRedirectUris) {
    return invalid("invalid_redirect_uri", `redirect_uris must have 1 to ${maxRedirectUris} addresses`)
  }
  const parsed = uris.map(parseRedirect)
  if (!parsed.every((uri) => uri !== undefined)) {
    const allowed = "https, http on this machine, or a scheme with a reverse domain name"
    return invalid("invalid_redirect_uri", `each redirect URI must be absolute, without a fragment: ${allowed}`)
  }
  if (Array.isArray(value.grant_types) && value.grant_types.includes("client_credentials")) {
    return invalid("invalid_client_metadata", "only the operator of this gateway makes clients for client_credentials")
  }
  const kept = Object.fromEntries(known.flatMap((name) => (value[name] === undefined ? [] : [[name, value[name]]])))
  for (const [name, field] of Object.entries(kept)) {
    const limit = name === "client_name" ? maxName : maxText
    if (lengthOf(field) > limit * maxRedirectUris || (typeof field === "string" && field.length > limit)) {
      return invalid("invalid_client_metadata", `${name} is too long`)
    }
  }
  return Result.succeed({ ...kept, application_type: parsed.every(isWeb) ? "web" : "native" })
}

const maxBytes = 16 * 1024

const decoder = new TextDecoder("utf-8", { fatal: true })

/** There is no such document. The library wants an answer. */
const noDocument = () => new Response(null, { status: 404 })

const documentOf = (bytes: Uint8Array): Response => {
  const checked = attempt(() => clientMetadata(JSON.parse(decoder.decode(bytes))))
  return checked !== undefined && Result.isSuccess(checked) ? Response.json(checked.success) : noDocument()
}

/**
 * Gets a client's metadata document from the address that is its id: by https, from a public address, without redirects,
 * in bounded time and size.
 */
export const fetchClientDocument =
  ({ carry }: Carrier["Service"], deadlineMillis: number, run: <A>(effect: Effect.Effect<A>) => Promise<A>) =>
  (url: string | URL | Request): Promise<Response> => {
    const { origin, pathname, protocol, search } = new URL(url instanceof Request ? url.url : url)
    if (protocol !== "https:") return Promise.resolve(noDocument())
    const carried = carry({
      method: "GET",
      origin,
      path: pathname + search,
      headers: { accept: "application/json", "accept-encoding": "identity" },
      body: undefined,
      deadlineMillis,
      idleMillis: deadlineMillis,
      maxBytes,
      isStreamed: () => false
    })
    return run(
      Effect.match(carried, {
        onFailure: noDocument,
        onSuccess: ({ body, status }) =>
          status === 200 && body instanceof Uint8Array ? documentOf(body) : noDocument()
      })
    )
  }

/** Anybody may register, so their number is bounded. Unused ones expire after a day. */
const maxClients = 10_000
/** A person may be deciding on a client that is newer than this. */
const newClientMillis = 10 * 60_000

/** One address may register more than that in a day, so the oldest clients that nobody used make room. */
const hasRoom = Effect.fnUntraced(function* (storage: Storage) {
  if (!(yield* storage.hasAtLeast("Client", maxClients))) return true
  const now = yield* Clock.currentTimeMillis
  return yield* storage.deleteFirst("Client", now + unusedClientMillis - newClientMillis)
}, Effect.orDie)

const parse = (bytes: Uint8Array): unknown => attempt(() => JSON.parse(new TextDecoder().decode(bytes)) as unknown)

/** Checks a registration (RFC 7591) before the server sees it. Succeeds with the body to register. */
export const checkRegistration = Effect.fnUntraced(function* (storage: Storage, bytes: Uint8Array) {
  const checked = clientMetadata(parse(bytes))
  if (Result.isFailure(checked)) {
    const { description, error } = checked.failure
    return yield* Effect.fail(oauthError(400, error, description))
  }
  if (!(yield* hasRoom(storage))) {
    const full = "too many clients are registered; try again in ten minutes, or use a client id metadata document"
    return yield* Effect.fail<HttpServerResponse>(oauthError(503, "temporarily_unavailable", full))
  }
  const { client_id: _, ...body } = checked.success
  return new TextEncoder().encode(JSON.stringify(body))
})
