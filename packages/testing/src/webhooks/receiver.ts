import { Carrier, type Incoming, NotCarried, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import { Ledger } from "@tollgate/gateway"
import * as Delivery from "@tollgate/ledger/webhooks/Delivery"
import { type Endpoint, Endpoints, Webhooks } from "@tollgate/ledger/outbox/Endpoints"
import { eventTypes } from "@tollgate/ledger/outbox/Event"
import * as Outbox from "@tollgate/ledger/outbox/Outbox"
import { NodeSqliteClient } from "@tollgate/server"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import { funded, ledgerOn, reserved } from "../ledger/ledgerOn.ts"

export const endpointOf = (id: string, settings: Partial<Endpoint> = {}): Endpoint => ({
  id,
  url: `https://${id}.example.com/hook?from=tollgate`,
  private: false,
  secrets: [Redacted.make(new Uint8Array(32).fill(7))],
  events: eventTypes,
  ...settings
})

/** What an endpoint answers, by its name and the id of the message. */
export type Answer = (endpoint: string, id: string) => Effect.Effect<number, NotCarried>

/** A network that records what is sent. */
export const recording = (answer: Answer) => {
  const sent: Array<{ readonly to: string; readonly id: string; readonly outgoing: Outgoing }> = []
  let open = 0
  const most = { open: 0 }
  const carry = (outgoing: Outgoing): Effect.Effect<Incoming, NotCarried> =>
    Effect.suspend(() => {
      const id = outgoing.headers["webhook-id"] ?? ""
      const to = /^https:\/\/([^.]+)/.exec(outgoing.origin)?.[1] ?? ""
      sent.push({ to, id, outgoing })
      most.open = Math.max(most.open, ++open)
      return Effect.ensuring(
        Effect.map(answer(to, id), (status) => ({ status, headers: {}, body: new Uint8Array() })),
        Effect.sync(() => open--)
      )
    })
  return { sent, most, layer: Layer.succeed(Carrier, { carry }) }
}

const noJitter = Layer.succeed(Random.Random, { nextDoubleUnsafe: () => 0, nextIntUnsafe: () => 0 })

/** A ledger, an outbox and endpoints in memory. */
export const outboxWith = (endpoints: Endpoints) =>
  ledgerOn(NodeSqliteClient.layer({ filename: ":memory:" })).pipe(
    Layer.provideMerge(Layer.mergeAll(Layer.succeed(Webhooks, endpoints), noJitter)),
    Layer.provideMerge(Layer.provideMerge(Mac.layerWebCrypto, SecureRandom.layerWebCrypto))
  )

/** Starts to deliver. */
export const delivering = Effect.flatMap(Outbox.make, (outbox) => Effect.as(Delivery.startDelivery(outbox), outbox))

/** Writes that many messages: calls whose outcome is unknown. */
export const unknownCalls = Effect.fnUntraced(function* (count: number) {
  const { account, key } = yield* funded
  const ledger = yield* Ledger
  yield* Effect.forEach(
    Array(count).keys(),
    () => Effect.flatMap(reserved(account, key, 1), (call) => ledger.markUnknown(call)),
    { concurrency: "unbounded", discard: true }
  )
})
