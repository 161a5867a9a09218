import { describe, expect, it } from "@effect/vitest"
import { Upstreams } from "@tollgate/gateway"
import { Carrier, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { exchange, providerAt, providerCredential } from "@tollgate/testing/upstream"

const calling = Effect.fnUntraced(function* (status: number, acting?: Record<string, string>) {
  const sent: Array<Outgoing> = []
  const carrier = Layer.succeed(Carrier, {
    carry: (outgoing) => {
      sent.push(outgoing)
      const head = { status, headers: {} }
      return Effect.succeed({ ...head, body: outgoing.isStreamed(head) ? Stream.empty : new Uint8Array(0) })
    }
  })
  const to = ["a", "b"].map((name) => ({ provider: { ...providerAt(1), name }, weight: 1 }))
  const answered = yield* Upstreams.use(({ call }) =>
    Effect.match(call(exchange(acting)), {
      onSuccess: (called) => (called.kind === "whole" ? called.answer.status : "stream"),
      onFailure: ({ refusal }) => refusal.code
    })
  ).pipe(Effect.provide(Upstreams.layer({ routes: [{ operation: "rerank", to }] }).pipe(Layer.provide(carrier))))
  return { answered, sent: sent.map(({ headers }) => headers.authorization) }
})

const user = { authorization: "Bearer user" }

describe("a call for a linked user", () => {
  it.effect("uses the user's credential, not the gateway's", () =>
    Effect.gen(function* () {
      expect(yield* calling(200, user)).toEqual({ answered: 200, sent: ["Bearer user"] })
      expect(yield* calling(200)).toEqual({ answered: 200, sent: [providerCredential] })
    })
  )

  it.effect("that the platform refuses fails, and is sent to no other upstream", () =>
    Effect.gen(function* () {
      expect(yield* calling(401, user)).toEqual({ answered: "missing_scope", sent: ["Bearer user"] })
      expect(yield* calling(403, user)).toEqual({ answered: 403, sent: ["Bearer user"] })
      expect((yield* calling(401)).sent).toHaveLength(2)
    })
  )
})
