import type { ServiceAccount } from "@tollgate/gateway/driver"
import type { Adapter, AdapterPayload } from "oidc-provider"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Refreshed } from "./Refreshed.ts"
import { grantOf, type Storage, type Stored } from "./Storage.ts"

/** A machine as a client: it has no page to return to, and its secret is there as a digest. */
const serviceAccountClient = ({ digest, id, name, scopes }: ServiceAccount): AdapterPayload => ({
  client_id: id,
  client_name: name,
  client_secret: digest,
  scope: scopes.join(" "),
  redirect_uris: [],
  response_types: [],
  grant_types: ["client_credentials"],
  token_endpoint_auth_method: "client_secret_basic"
})

type Run = <A>(effect: Effect.Effect<A, unknown>) => Promise<A>

const dayMillis = 86_400_000
/** A registered client that nobody has used. */
export const unusedClientMillis = dayMillis
/** A client is kept this long after its last token. */
const usedClientMillis = 90 * dayMillis
/** Requests for access that wait for a decision. Anybody may make one, so the oldest make room. */
const maxWaiting = 20_000

const asText = (value: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof value === "string" || value === undefined ? value : value[0]

const payloadOf = ({ consumedAt, payload }: Stored): AdapterPayload => ({
  ...(JSON.parse(payload) as AdapterPayload),
  ...(consumedAt === undefined ? {} : { consumed: Math.floor(consumedAt / 1_000) })
})

interface Options {
  readonly storage: Storage
  readonly run: Run
  readonly refreshed: Refreshed
  /** Made when a code or a refresh token was used before. */
  readonly alreadyUsed: () => Error
  /** The request that is being answered, when it refreshes a token again that was used a moment ago. */
  readonly repeating: () => Repeating
}

interface Repeating {
  readonly asked: string
  readonly answer: (body: Readonly<Record<string, unknown>>) => void
}

/** The store of `oidc-provider`: one adapter for each of its models. */
export const adapter =
  ({ alreadyUsed, refreshed, repeating, run, storage }: Options) =>
  (model: string): Adapter => {
    const { grants, machines } = storage
    /** Whoever reads an access token need not know how it was got. */
    const kept = model === "ClientCredentials" ? "AccessToken" : model

    /** What a person took back is not there, whatever the server still has of it. */
    const isEnded = (id: string) =>
      model === "Grant"
        ? Effect.map(grants.find(grantOf(id)), (grant) => Option.isNone(grant) || grant.value.ended)
        : Effect.succeed(false)

    const expiresAt = (expiresIn: number | undefined, now: number) =>
      expiresIn === undefined ? (model === "Client" ? now + unusedClientMillis : undefined) : now + expiresIn * 1_000

    const signInOf = (id: string, { clientId = "", grantId }: AdapterPayload) => {
      if (model !== "ClientCredentials") return Effect.succeed(model === "Grant" ? id : grantId)
      // A machine that was revoked meanwhile gets a token of no grant, which opens nothing.
      return Effect.map(machines.find(clientId), (machine) => Option.getOrUndefined(machine)?.grant)
    }

    const upsert = Effect.fnUntraced(function* (id: string, payload: AdapterPayload, expiresIn: number | undefined) {
      const now = yield* Clock.currentTimeMillis
      const { aud, clientId, scope, uid } = payload
      if (model === "Interaction" && (yield* storage.hasAtLeast(model, maxWaiting))) {
        yield* storage.deleteFirst(model, Number.MAX_SAFE_INTEGER)
      }
      yield* storage.upsert(kept, id, JSON.stringify(payload), {
        signIn: yield* signInOf(id, payload),
        uid,
        expiresAt: expiresAt(expiresIn, now),
        ...(kept === "AccessToken" ? { scopes: scope ?? "", resource: asText(aud) ?? "" } : {})
      })
      if (model === "AccessToken" && clientId !== undefined) {
        yield* storage.prolong("Client", clientId, now + usedClientMillis)
      }
    })

    /** Whether it may be used once more, because its answer may be lost. */
    const isRepeatable = ({ consumedAt }: Stored, now: number): boolean =>
      model === "RefreshToken" && consumedAt !== undefined && refreshed.isRecent(consumedAt, now)

    const find = Effect.fnUntraced(function* (id: string) {
      const machine = model === "Client" ? yield* machines.find(id) : Option.none()
      if (Option.isSome(machine)) return serviceAccountClient(machine.value)
      const stored = yield* storage.find(kept, id)
      if (stored === undefined || (yield* isEnded(id))) return undefined
      return payloadOf(
        isRepeatable(stored, yield* Clock.currentTimeMillis) ? { ...stored, consumedAt: undefined } : stored
      )
    })

    const repeat = Effect.fnUntraced(function* (id: string, { answer, asked }: Repeating) {
      const body = yield* refreshed.again(id, asked)
      if (body === undefined) return
      if (body !== "other") answer(body)
      return yield* Effect.fail(alreadyUsed())
    })

    const consume = Effect.fnUntraced(function* (id: string, request: Repeating) {
      if (yield* storage.consume(model, id)) return
      const stored = yield* storage.find(model, id)
      if (stored !== undefined && isRepeatable(stored, yield* Clock.currentTimeMillis))
        return yield* repeat(id, request)
      const grantId = stored && payloadOf(stored).grantId
      if (grantId !== undefined) yield* storage.endSignIn(grantId)
      return yield* Effect.fail(alreadyUsed())
    })

    return {
      upsert: (id, payload, expiresIn) => run(upsert(id, payload, expiresIn)),
      find: (id) => run(find(id)),
      findByUid: (uid) =>
        run(
          Effect.map(storage.findByUid(model, uid), (stored) => (stored === undefined ? undefined : payloadOf(stored)))
        ),
      // Only for the device flow, which is not offered.
      findByUserCode: () => Promise.resolve(undefined),
      consume: (id) => run(consume(id, repeating())),
      destroy: (id) => run(model === "Grant" ? storage.endSignIn(id) : storage.destroy(kept, id)),
      revokeByGrantId: (signIn) => run(storage.endSignIn(signIn))
    }
  }
