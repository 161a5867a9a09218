import { type WebhookEndpoint, webhookEvents } from "@tollgate/gateway/operator"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { hash } from "node:crypto"
import { Address, privateProblem, fromEnvironment, optional, Variable, Credit, PrivateAllowed } from "../text/values.ts"
import type { Add } from "../text/Problem.ts"

/** Each endpoint has a connection or more of its own. */
const maxEndpoints = 20

const Secret = Schema.Struct({
  env: Variable,
  previous: optional(Variable, "A second secret, which signs too, until the receiver has changed to the first")
}).annotate({
  expected: '{ "env": "NAME" }: a secret is read from the environment only, so that the file contains none'
})

const Webhook = Schema.Struct({
  url: Address("https://alerts.example.com/tollgate"),
  secret: Secret,
  events: optional(
    Schema.Array(Schema.Literals(webhookEvents))
      .annotate({ description: "Default: all" })
      .check(Schema.isMinLength(1, { expected: "at least one event" }))
  ),
  balanceBelow: optional(Credit, "USD. An account whose balance falls below it is told of, by balance.low"),
  private: PrivateAllowed
})

export const WebhooksFile = Schema.Array(Webhook).check(
  Schema.isMaxLength(maxEndpoints, { expected: `at most ${maxEndpoints} endpoints` })
)

type Webhook = typeof Webhook.Type

/** Unlike a base address it may have a query. The message does not repeat it, because it can contain a credential. */
const urlProblem = (text: string, isPrivate: boolean): string | undefined => {
  const url = URL.parse(text)
  if (
    url === null ||
    (url.protocol !== "https:" && url.protocol !== "http:") ||
    !/^https?:\/\/[\x21-\x7e]+$/.test(text)
  ) {
    return 'expected an address that starts with https:// or http://, such as "https://alerts.example.com/tollgate"'
  }
  if (url.username !== "" || url.password !== "") return "the address must not contain a user or password"
  if (text.includes("#")) return "expected an address without a fragment"
  return privateProblem(url, isPrivate)
}

/** The lengths that Standard Webhooks allows. */
const leastBytes = 24
const mostBytes = 64

const keyOf = (text: string): Uint8Array | undefined => {
  if (!text.startsWith("whsec_")) return undefined
  const bytes = Result.getOrUndefined(Base64.decode(text.slice("whsec_".length)))
  return bytes !== undefined && bytes.length >= leastBytes && bytes.length <= mostBytes ? bytes : undefined
}

const secretOf = Effect.fnUntraced(function* (variable: string) {
  const value = yield* fromEnvironment(variable)
  return Result.flatMap(value, (text) => {
    const key = keyOf(text)
    return key === undefined
      ? Result.fail(
          `the environment variable ${variable} must be whsec_ and ${leastBytes} to ${mostBytes} bytes in base64`
        )
      : Result.succeed(Redacted.make(key, { label: "webhook secret" }))
  })
})

/** The same for the same address, whoever reads the file. */
const idOf = (url: string): string => hash("sha256", url).slice(0, 12)

/** Without its secrets: enough to write the outbox, not to send. */
const endpointOf = ({ balanceBelow, events = webhookEvents, url, ...rest }: Webhook): WebhookEndpoint => ({
  id: idOf(url),
  url,
  private: rest.private ?? false,
  secrets: [],
  events,
  ...(balanceBelow === undefined ? {} : { balanceBelow })
})

const check = ({ balanceBelow, events, url, ...rest }: Webhook, before: ReadonlyArray<Webhook>, add: Add): void => {
  add(["url"], urlProblem(url, rest.private ?? false))
  if (before.some((other) => other.url === url)) add(["url"], "another endpoint has this address")
  if (balanceBelow === undefined && events?.includes("balance.low") === true) {
    add(["events"], 'balance.low needs "balanceBelow"')
  }
  if (balanceBelow !== undefined && events?.includes("balance.low") === false) {
    add(["balanceBelow"], "without balance.low among the events it does nothing")
  }
}

export const resolve = Effect.fnUntraced(function* (file: ReadonlyArray<Webhook>, addTo: Add) {
  const webhooks: Array<WebhookEndpoint> = []
  for (const [i, webhook] of file.entries()) {
    const add: Add = (path, message) => addTo(["webhooks", i, ...path], message)
    check(webhook, file.slice(0, i), add)
    const secrets: Array<Redacted.Redacted<Uint8Array>> = []
    for (const name of ["env", "previous"] as const) {
      const variable = webhook.secret[name]
      if (variable === undefined) continue
      const secret = yield* secretOf(variable)
      if (Result.isFailure(secret)) add(["secret", name], secret.failure)
      else secrets.push(secret.success)
    }
    webhooks.push({ ...endpointOf(webhook), secrets })
  }
  return webhooks
})

/** For commands that write the outbox, and need no secret. */
export const withoutSecrets = (file: ReadonlyArray<Webhook>): ReadonlyArray<WebhookEndpoint> => file.map(endpointOf)
