import { Carrier } from "@tollgate/contract/carrier/Carrier"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** Why the issuer's keys could not be read, in words for the operator's log. */
export class KeysNotRead extends Data.TaggedError("KeysNotRead")<{ readonly reason: string }> {}

const deadlineMillis = 5_000
const maxBytes = 262_144

type Json = Readonly<Record<string, unknown>>

const parseObject = (bytes: Uint8Array): Json | undefined => {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** Without TLS anyone on the way could replace the keys, so http is for private addresses only. */
const isAllowed = (url: URL | null, isPrivate: boolean): url is URL =>
  url !== null && (url.protocol === "https:" || (isPrivate && url.protocol === "http:")) && url.username === ""

/** Gets a JSON object. `undefined` if the status is not 200; redirects are not followed. */
export const fetchJson = Effect.fnUntraced(function* (address: string, isPrivate: boolean) {
  const url = URL.parse(address)
  if (!isAllowed(url, isPrivate)) return yield* new KeysNotRead({ reason: "the address is not https" })
  const { carry } = yield* Carrier
  const { body, status } = yield* carry({
    method: "GET",
    origin: url.origin,
    path: url.pathname + url.search,
    headers: { accept: "application/json", "accept-encoding": "identity" },
    body: undefined,
    deadlineMillis,
    idleMillis: deadlineMillis,
    maxBytes,
    private: isPrivate,
    isStreamed: () => false
  }).pipe(Effect.mapError(({ why }) => new KeysNotRead({ reason: `the answer did not arrive: ${why}` })))
  if (status !== 200) return undefined
  const json = body instanceof Uint8Array ? parseObject(body) : undefined
  return json ?? (yield* new KeysNotRead({ reason: "the answer is not a JSON object" }))
})
