import { describe, expect, it } from "@effect/vitest"
import { verifyWebhook, type WebhookRequest } from "@tollgate/client/webhook"
import { AnswerMillis, send } from "@tollgate/ledger/webhooks/send"
import { UpstreamCarrier } from "@tollgate/server"
import { endpointOf } from "@tollgate/testing/webhooks/receiver"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { Webhook } from "standardwebhooks"

const services = Layer.mergeAll(UpstreamCarrier.layer(), Layer.provide(Mac.layerWebCrypto, SecureRandom.layerWebCrypto))

/** A server on this machine. */
const listening = (answer: RequestListener) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer(answer)
      await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready))
      return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    }),
    ({ server }) =>
      Effect.promise(async () => {
        server.closeAllConnections()
        await new Promise((closed) => server.close(closed))
      })
  )

const to = (url: string, secrets: ReadonlyArray<Uint8Array> = [randomBytes(32)]) =>
  endpointOf("one", { url, private: true, secrets: secrets.map((secret) => Redacted.make(secret)) })

const whsec = (secret: Uint8Array) => `whsec_${Buffer.from(secret).toString("base64")}`

describe("sending a webhook", () => {
  it.live("is signed by Standard Webhooks, with each of two secrets", () =>
    Effect.gen(function* () {
      const [next, previous, foreign] = [randomBytes(32), randomBytes(24), randomBytes(32)]
      let received: { body: string; headers: IncomingHttpHeaders } | undefined
      const { url } = yield* listening((request, response) => {
        let body = ""
        request.setEncoding("utf8").on("data", (part: string) => (body += part))
        request.on("end", () => {
          received = { body, headers: request.headers }
          response.writeHead(204).end()
        })
      })
      const body = JSON.stringify({ type: "test", timestamp: "2026-11-16T00:00:00.000Z", data: { name: "Zoë €" } })
      expect(yield* send(to(`${url}/in`, [next, previous]), "msg_1", body)).toEqual({
        outcome: "delivered",
        result: "status 204"
      })
      const headers = received!.headers as Record<string, string>
      expect(headers).toMatchObject({ "webhook-id": "msg_1", "content-type": "application/json" })
      for (const secret of [next, previous]) {
        expect(new Webhook(whsec(secret)).verify(received!.body, headers)).toEqual(JSON.parse(body))
      }
      expect(() => new Webhook(whsec(foreign)).verify(received!.body, headers)).toThrow()
      expect(() => new Webhook(whsec(next)).verify(`${received!.body} `, headers)).toThrow()
      expect(() => new Webhook(whsec(next)).verify(received!.body, { ...headers, "webhook-id": "msg_2" })).toThrow()
    }).pipe(Effect.provide(services))
  )

  it.live("is verified by the client's `verifyWebhook`, as a Request, a request of Node, and as it arrived", () =>
    Effect.gen(function* () {
      const [next, previous, foreign] = [randomBytes(32), randomBytes(24), randomBytes(32)]
      const verified: Array<unknown> = []
      const { url } = yield* listening((request, response) => {
        const end = (result: unknown) => {
          verified.push(result)
          response.writeHead(204).end()
        }
        verifyWebhook(request, whsec(previous)).then(end, end)
      })
      const sent = { type: "balance.low", timestamp: "2026-11-16T00:00:00.000Z", data: { account: "Zoë €" } }
      const body = JSON.stringify(sent)
      yield* send(to(url, [next, previous]), "msg_1", body)
      expect(verified).toEqual([{ id: "msg_1", ...sent }])

      const at = new Date()
      const seconds = (more = 0) => String(Math.floor(at.getTime() / 1000) + more)
      const signed = (more = 0) => ({
        "webhook-id": "msg_2",
        "webhook-timestamp": seconds(more),
        "webhook-signature": new Webhook(whsec(next)).sign("msg_2", new Date(at.getTime() + more * 1000), body)
      })
      const asRequest = (headers: Record<string, string>, text = body): WebhookRequest =>
        new Request("http://receiver.invalid", { method: "POST", headers, body: text })
      const expected = { id: "msg_2", ...sent }
      const outcome = (request: WebhookRequest, secret: string | ReadonlyArray<string> = whsec(next)) =>
        Effect.promise(() => verifyWebhook(request, secret).catch((error: unknown) => error))
      expect(yield* outcome(asRequest(signed()))).toEqual(expected)
      expect(yield* outcome(asRequest(signed()), [whsec(foreign), whsec(next)])).toEqual(expected)
      expect(yield* outcome({ headers: signed(), body })).toEqual(expected)
      expect(yield* outcome({ headers: signed(-290), body: Buffer.from(body) })).toEqual(expected)

      const refused: ReadonlyArray<readonly [WebhookRequest, string]> = [
        [asRequest(signed(), `${body} `), "signature"],
        [asRequest({ ...signed(), "webhook-id": "msg_3" }), "signature"],
        [asRequest({ ...signed(), "webhook-timestamp": seconds(1) }), "signature"],
        [asRequest({ ...signed(), "webhook-signature": "v1, v1,! v2,AAAA" }), "signature"],
        [asRequest(signed(-320)), "too old"],
        [asRequest(signed(320)), "too old"],
        [asRequest({ ...signed(), "webhook-timestamp": "NaN" }), "too old"],
        [asRequest({ "webhook-id": "msg_2" }), "no header webhook-timestamp"],
        [asRequest(signed(), "x".repeat(1_100_000)), "too large"],
        [{ headers: signed(), body: JSON.parse(body) as never }, "before it is parsed"]
      ]
      for (const [request, why] of refused) {
        expect(yield* outcome(request)).toMatchObject({ _tag: "WebhookInvalid", message: expect.stringContaining(why) })
      }
      expect(yield* outcome(asRequest(signed()), whsec(foreign))).toMatchObject({ _tag: "WebhookInvalid" })
      expect(yield* outcome(asRequest(signed()), "whsec_")).toBeInstanceOf(TypeError)
    }).pipe(Effect.provide(services))
  )

  it.live("does not follow a redirect", () =>
    Effect.gen(function* () {
      const paths: Array<string | undefined> = []
      const { url } = yield* listening((request, response) => {
        paths.push(request.url)
        response.writeHead(307, { location: "/elsewhere" }).end()
      })
      expect(yield* send(to(`${url}?token=t`), "msg_1", "{}")).toEqual({ outcome: "failed", result: "status 307" })
      expect(paths).toEqual(["/?token=t"])
    }).pipe(Effect.provide(services))
  )

  it.live("reads little of an answer that does not end, and counts its status", () =>
    Effect.gen(function* () {
      let ended = false
      const { url } = yield* listening((_, response) => {
        response.writeHead(200)
        const more = () => {
          while (response.write(Buffer.alloc(16_384)));
        }
        response.on("drain", more).on("close", () => (ended = true))
        more()
      })
      expect(yield* send(to(url), "msg_1", "{}")).toEqual({ outcome: "delivered", result: "status 200" })
      yield* Effect.repeat(Effect.sleep(5), { until: () => ended })
    }).pipe(Effect.provide(services))
  )

  it.live("counts the status if the rest of the answer never comes", () =>
    Effect.gen(function* () {
      const { url } = yield* listening((_, response) => {
        response.writeHead(200, { "content-length": 100 }).write("a")
      })
      expect(yield* send(to(url), "msg_1", "{}")).toEqual({ outcome: "delivered", result: "status 200" })
    }).pipe(Effect.provideService(AnswerMillis, 1_000), Effect.provide(services))
  )

  it.live("gives up if no answer comes in time", () =>
    Effect.gen(function* () {
      const { url } = yield* listening(() => {})
      expect(yield* send(to(url), "msg_1", "{}")).toEqual({ outcome: "failed", result: "no answer in time" })
    }).pipe(Effect.provideService(AnswerMillis, 50), Effect.provide(services))
  )

  it.live("says that nobody listens, and that a connection broke", () =>
    Effect.gen(function* () {
      const { url } = yield* Effect.scoped(listening(() => {}))
      expect(yield* send(to(url), "msg_1", "{}")).toEqual({ outcome: "failed", result: "no connection" })
      const breaking = yield* listening((request) => request.socket.destroy())
      expect(yield* send(to(breaking.url), "msg_1", "{}")).toEqual({
        outcome: "failed",
        result: "the connection broke"
      })
    }).pipe(Effect.provide(services))
  )

  it.live("does not reach a private address that the operator did not allow", () =>
    Effect.gen(function* () {
      let requests = 0
      const { url } = yield* listening((_, response) => {
        requests++
        response.end()
      })
      expect(yield* send({ ...to(url), private: false }, "msg_1", "{}")).toMatchObject({ outcome: "failed" })
      expect(requests).toBe(0)
    }).pipe(Effect.provide(services))
  )
})
