import { describe, expect, it } from "@effect/vitest"
import { Upstreams } from "@tollgate/gateway"
import { Carrier, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { exchange, providerAt, providerCredential } from "@tollgate/testing/upstream"

/** Calls an upstream that repeats the credential which it was sent. */
const calling = Effect.fnUntraced(function* (status: number, linkedUserHeaders?: Record<string, string>) {
  const sent: Array<Outgoing> = []
  let shown = ""
  const carrier = Layer.succeed(Carrier, {
    carry: (outgoing) => {
      sent.push(outgoing)
      const head = { status, headers: {} }
      const echo = Utf8.encode(`you sent ${outgoing.headers.authorization}`)
      return Effect.succeed({ ...head, body: outgoing.isStreamed(head) ? Stream.empty : echo })
    }
  })
  const to = ["a", "b"].map((name) => ({ provider: { ...providerAt(1), name }, weight: 1 }))
  const answered = yield* Upstreams.use(({ call }) =>
    Effect.match(call(exchange(linkedUserHeaders)), {
      onSuccess: (called) => {
        if (called.kind === "stream") return "stream"
        // As the caller gets it if it says that it failed.
        const failed = called.scrub?.(called.answer) ?? called.answer
        shown = Utf8.decode(called.answer.status < 400 ? failed.bytes : called.answer.bytes)
        return called.answer.status
      },
      onFailure: ({ refusal }) => refusal.code
    })
  ).pipe(Effect.provide(Upstreams.layer([{ operation: "rerank", to }]).pipe(Layer.provide(carrier))))
  return { answered, shown, sent: sent.map(({ headers }) => headers.authorization) }
})

const user = { authorization: "Bearer of-the-user" }

describe("a call for a linked user", () => {
  it.effect("is sent with the user's token, not the gateway's credential", () =>
    Effect.gen(function* () {
      expect(yield* calling(200, user)).toMatchObject({ answered: 200, sent: [user.authorization] })
      expect(yield* calling(200)).toMatchObject({ answered: 200, sent: [providerCredential] })
    })
  )

  it.effect("is not sent to another upstream if its token is rejected", () =>
    Effect.gen(function* () {
      expect(yield* calling(401, user)).toMatchObject({ answered: "missing_scope", sent: [user.authorization] })
      expect(yield* calling(403, user)).toMatchObject({ answered: 403, sent: [user.authorization] })
      expect((yield* calling(401)).sent).toHaveLength(2)
    })
  )

  it.effect("does not tell the caller the user's token if the upstream repeats it in an error", () =>
    Effect.gen(function* () {
      for (const status of [200, 400, 403, 500]) {
        expect(yield* calling(status, user)).toMatchObject({ answered: status, shown: "you sent Bearer [redacted]" })
      }
    })
  )
})
