import {
  sendWebhook,
  webhookBody,
  type WebhookEndpoint,
  WebhookOutbox,
  WebhookShapes
} from "@tollgate/gateway/operator"
import { Composition } from "@tollgate/gateway"
import { UpstreamCarrier } from "@tollgate/server"
import * as Command from "effect/cli/Command"
import * as Clock from "effect/Clock"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { configuration } from "../settings/Settings.ts"
import * as Print from "../terminal/print.ts"
import { listMessages, runRoute } from "./admin.ts"
import { json, toggle, optionalArgument, argument } from "./inputs.ts"
import { inStore } from "./inStore.ts"

const message = optionalArgument("message", "The id of a message: msg_…")

const failed = toggle("failed", "All that failed")

const resendOne = Effect.fnUntraced(function* (id: string, json: boolean) {
  const message = yield* runRoute("webhooks", "resendWebhook", { id }, {})
  yield* json ? Print.json(message) : Print.line(`${id} is sent again.`)
})

const resendFailed = Effect.fnUntraced(function* (json: boolean) {
  const count = yield* (yield* WebhookOutbox.make).resendFailed
  const words = count === 1 ? "1 message is" : `${count} messages are`
  yield* json ? Print.json({ resent: count }) : Print.line(`${words} sent again.`)
})

const resend = Command.make("resend", { message, failed, json }, ({ failed, json, message }) => {
  if (Option.isSome(message) === failed) {
    return Print.fail("Give the id of a message, or --failed")
  }
  return inStore(Option.isSome(message) ? resendOne(message.value, json) : resendFailed(json))
}).pipe(
  Command.withDescription("Send a message again, even a delivered one; a running gateway sends it within a second"),
  Command.withShortDescription("Send a message again")
)

const network = Layer.merge(UpstreamCarrier.layer(), Composition.layerCrypto)

const sendTest = Effect.fnUntraced(function* (endpoint: WebhookEndpoint) {
  const random = yield* SecureRandom.SecureRandom
  const id = `msg_test_${Hex.encode(yield* random.randomBytes(10))}_${endpoint.id}`
  const at = yield* Clock.currentTimeMillis
  const { outcome, result } = yield* sendWebhook(endpoint, id, webhookBody({ type: "test", at }))
  return { origin: WebhookShapes.originOf(endpoint), outcome, result }
})

const to = argument("url", "An address of the configuration file, or all")

const test = Command.make("test", { to, json }, ({ json, to }) =>
  Effect.gen(function* () {
    // With their secrets, which only this command needs.
    const { webhooks: all } = yield* configuration
    const chosen = to === "all" ? all : all.filter(({ url }) => url === to)
    if (chosen.length === 0) {
      const message = all.length === 0 ? "The configuration file has no webhooks." : "No endpoint has this address."
      return yield* Print.fail(message)
    }
    const sent = yield* Effect.forEach(chosen, sendTest, { concurrency: 4 })
    yield* json
      ? Print.json({ sent })
      : Print.table(
          sent,
          { to: ({ origin }) => origin, outcome: ({ outcome }) => outcome, answer: ({ result }) => result },
          ""
        )
    const { length } = sent.filter(({ outcome }) => outcome !== "delivered")
    if (length > 0) return yield* Print.fail(`${length} of ${sent.length} did not accept it.`)
  }).pipe(Effect.provide(network))
).pipe(
  Command.withDescription("Send the event test to an endpoint or all, once, and show the answer; needs no gateway"),
  Command.withShortDescription("Send a test message and show the answer")
)

export const webhooks = Command.make("webhooks").pipe(
  Command.withDescription("List messages to your endpoints, send them again, and test endpoints"),
  Command.withShortDescription("List, resend and test messages to your endpoints"),
  Command.withSubcommands([listMessages, resend, test])
)
